import Safelight

extension FrameRun {
  /// Takes what lies in a folder and what arrives there, until a signal comes or nothing has arrived for long enough.
  func watch(_ folder: String, _ calls: [FilterCall], _ stop: StopRequest) async throws {
    guard inputs.isEmpty else {
      throw SafelightError(
        .usage, inputs[0], why: "inputs are named, and a folder to watch", remedy: "leave one of them out")
    }
    let outputs = try WatchedOutput(output, watching: folder)
    let filterFiles = calls.flatMap(\.files)
    if let report = run.report, report != "-" {
      try outputs.checkSideFile(report)
      try InputFiles(filterFiles).refuseOutput(report)
    }
    for file in filterFiles { try outputs.refuse(replacing: file) }
    if !isSilent { OtherPictures.tell(in: folder, isRecursive: false) }
    let watch = try FolderWatch(folder)
    let processor = try await openProcessor(calls)
    defer { processor.device.close() }
    guard processor.chain.history == 0 else {
      throw SafelightError(
        .usage, filter, why: "its pictures depend on those before, and files may arrive in any order",
        remedy: "leave out what smooths over time, or process the whole sequence when it is there")
    }
    let record = record(processor, total: 0)
    var options = self.options
    // One broken file must not end the watch.
    options.keepsGoing = true
    var isFirst = true
    let ledger = await FramePipeline(processor, options: options).run(
      watching: watch, idle: run.untilIdle.map { .seconds($0) }, stop: stop, observer: record.observer,
      begin: {
        record.progress.expect($0.count)
        // What runs that were killed left belongs to files that were there then, and these come first.
        if isFirst { tidy($0) }
        isFirst = false
      }, output: outputs.path)
    try record.end(ledger)
    if ledger.entries.isEmpty && !ledger.isInterrupted {
      throw SafelightError(
        .missingInput, folder, why: "no file has come", remedy: "check the folder, or wait longer for them")
    }
    if let code = Self.exitCode(ledger) { throw code }
  }
}
