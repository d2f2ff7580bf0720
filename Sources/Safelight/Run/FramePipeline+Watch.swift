public import SafelightFrames
internal import SafelightImage

extension FramePipeline {
  /// Takes the files of a folder, and then those that arrive, each to where `output` says, until `stop` is made or nothing has come for
  /// `idle`. `begin` hears the outputs of what has come together before that is begun.
  ///
  /// What has come together is a run of its own, whose frames follow those before in the ledger; a frame's index says as the how many-th it
  /// came. Only for chains without a history: what a file becomes must not depend on when it comes.
  public func run(
    watching watch: FolderWatch, idle: Duration? = nil, stop: StopRequest = StopRequest(),
    observer: Observer = Observer(),
    begin: ([String]) -> Void = { _ in }, output: (Frame) -> String
  ) async -> FrameLedger {
    trap(
      unless: processor.chain.history == 0,
      "a chain with a history cannot be watched with; run it over the whole sequence")
    let clock = ContinuousClock()
    let start = clock.now
    var lastArrival = start
    var ledger = FrameLedger()
    do {
      while !stop.isMade && !(ledger.count(.failed) > 0 && !options.keepsGoing) {
        let arrivals = try watch.arrivals()
        for error in watch.refusals() {
          let count = ledger.entries.count
          let entry = FrameLedger.Entry(
            frame: Frame(index: count, number: count + 1, path: error.what), output: nil, status: .failed, error: error,
            warnings: [], seconds: 0)
          ledger.entries.append(entry)
          observer.frameEnded(entry)
          lastArrival = clock.now
        }
        let first = ledger.entries.count
        let frames = arrivals.enumerated().map { number, path in
          Frame(index: first + number, number: first + number + 1, path: path)
        }
        if frames.isEmpty {
          if let idle, !watch.isWaiting, clock.now - lastArrival >= idle { break }
          // Short for a person, and long for a machine.
          try await Task.sleep(for: .milliseconds(50))
          continue
        }
        let outputs = frames.map(output)
        begin(outputs)
        let part = try await run(
          zip(frames, outputs).map { (frame: $0, target: .file($1)) }, stop: stop, observer: observer)
        ledger.entries += part.entries
        lastArrival = clock.now
      }
    } catch {
      let entry = FrameLedger.Entry.broken(ledger.entries.last?.frame, error)
      ledger.entries.append(entry)
      observer.frameEnded(entry)
    }
    ledger.isInterrupted = stop.isMade
    ledger.seconds = (clock.now - start).inSeconds
    return ledger
  }
}
