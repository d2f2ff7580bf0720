import Safelight

/// What is shown and kept of a run: its progress, a contact sheet, a report.
struct RunRecord {
  let progress: ProgressDisplay
  let sheet: (collector: ContactSheetCollector, path: String)?
  let report: (collector: RunReport, path: String)?
  let warnings: RunWarnings
  /// What to say where every frame that was made was compared with the twins, and is equal.
  let verified: String?
  let isTold: Milestone

  /// What the pipeline is to tell.
  var observer: FramePipeline.Observer {
    var observer = FramePipeline.Observer()
    observer.frameEnded = { [progress, warnings] in
      warnings.frameEnded($0, tellsFailures: !progress.speaksJSON)
      progress.frameEnded($0)
    }
    let (sheet, report) = (sheet?.collector, report?.collector)
    if let sheet { observer.pictures = { sheet.add($0, before: $1, after: $2) } }
    observer.twinsDiffered = {
      TwinDifferencePicture($0, $1, expected: $2, actual: $3)?.write()
    }
    if let report {
      observer.pixelsMade = { report.frameMade($0, pixels: $1) }
      observer.measured = { report.frameMeasured($0, $1) }
    }
    return observer
  }

  /// Says how the run ended, and writes what was gathered.
  func end(_ ledger: FrameLedger, toFilm: Bool = false) throws {
    isTold.reach()
    warnings.tellOfOthers()
    progress.runEnded(ledger, toFilm: toFilm)
    let count = ledger.count(.done)
    if let verified, count > 0 { Console.line("safelight: \(count) \(count == 1 ? "frame" : "frames") \(verified)") }
    if let (collector, path) = report {
      let output = try DataOutput(path)
      try output.write(collector.json(ledger, warnings: warnings.ofRun))
      try output.finish()
    }
    if let (collector, path) = sheet, let picture = collector.image() {
      try PNGFile(image: picture).write(to: path, compression: .balanced)
    }
  }
}
