import ArgumentParser
import Safelight

/// A run over frames from the command line: devices, pipeline, progress, and the code at its end.
struct FrameRun {
  let inputs: [String]
  let output: String
  let filter: String
  let run: RunArguments
  let device: DeviceArguments

  func perform() async throws {
    if run.progress == .json { Console.speakJSON() }
    // Everything that can be wrong with the names is found before a device is opened.
    let calls = try FilterSyntax.parse(filter, catalogue: FilterCatalogue.descriptions)
    let (work, sequence, files) = try run.work(inputs, to: output)
    if let sheet = run.contactSheet {
      try FrameOutput.checkSideFile(sheet, beside: sequence, outputs: work.map(\.target.name))
    }
    let device = try device.open(quietly: run.progress == .none)
    let twin = run.verifyWith == nil ? nil : try Device.open(.cpu)
    let processor = FrameProcessor(
      device: device, chain: try FilterChain(calls, device: device), verifying: twin)
    try files.prepare()
    let stop = StopRequest()
    let signals = SignalWatch(stop)
    defer { withExtendedLifetime(signals) {} }
    let progress = ProgressDisplay(run.progress, total: work.count)
    let sheet = run.contactSheet.map { _ in ContactSheetCollector(frames: work.map(\.frame)) }
    var observer = FramePipeline.Observer()
    observer.frameEnded = { progress.frameEnded($0) }
    if let sheet { observer.pictures = { sheet.add($0, before: $1, after: $2) } }
    let ledger = try await FramePipeline(processor, options: run.pipelineOptions)
      .run(work, of: sequence, stop: stop, observer: observer)
    progress.runEnded(ledger)
    if let sheet, let path = run.contactSheet, let picture = sheet.image() {
      try PNGFile(image: picture).write(to: path, compression: .balanced)
    }
    device.close()
    if let code = Self.exitCode(ledger) { throw code }
  }

  /// The worst that happened; nil when all went well.
  static func exitCode(_ ledger: FrameLedger) -> ExitCode? {
    if let worst = ledger.errors.map(\.exitCode).max(by: { severity($0) < severity($1) }) { return worst }
    if ledger.isInterrupted { return .interrupted }
    if ledger.count(.done) == 0 {
      complain(
        SafelightError(
          .missingInput, "nothing to do", why: "every output is there already",
          remedy: "use --existing overwrite to make them anew"))
      return .noInput
    }
    return nil
  }

  /// A fault of the tool outweighs one of the disk, that one of the data, and that a difference.
  private static func severity(_ code: ExitCode) -> Int {
    let order: [ExitCode] = [.differs, .usage, .noInput, .badData, .transfer, .cannotCreate, .noDevice, .internal]
    return order.firstIndex(of: code) ?? order.count
  }
}
