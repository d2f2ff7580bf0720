import ArgumentParser
import Safelight
import SafelightGolden
import Synchronization

/// The record of a run: its progress display, a contact sheet, a report.
struct RunRecord {
  let progress: ProgressDisplay
  let sheet: (collector: ContactSheetCollector, path: String)?
  let report: (collector: RunReport, path: String)?
  let warnings: RunWarnings
  /// The message if every frame that was made was compared with the twins and is equal; nil for none.
  let verified: String?

  /// The observer that the pipeline reports to.
  var observer: FramePipeline.Observer {
    var observer = FramePipeline.Observer()
    observer.frameEnded = { [progress, warnings] in
      warnings.frameEnded($0, tellsFailures: !progress.speaksJSON)
      progress.frameEnded($0)
    }
    observer.warned = { [warnings] in warnings.warn(early: $1, of: $0.path) }
    let (sheet, report) = (sheet?.collector, report?.collector)
    if let sheet { observer.pictures = { sheet.add($0, before: $1, after: $2) } }
    observer.twinsDiffered = { Self.writeDifference($0, $1, expected: $2, actual: $3) }
    if let report {
      observer.pixelsMade = { report.frameMade($0, pixels: $1) }
      observer.measured = { report.frameMeasured($0, $1) }
    }
    return observer
  }

  /// Reports how the run ended, and writes the report and the contact sheet.
  func end(_ ledger: FrameLedger, toFilm: Bool = false) throws {
    warnings.end()
    progress.runEnded(ledger, toFilm: toFilm)
    let count = ledger.count(.done)
    if let verified, count > 0 { Console.line("safelight: \(count) \(count == 1 ? "frame" : "frames") \(verified)") }
    let picture = sheet?.collector.image()
    if let path = sheet?.path, picture == nil {
      let stale = fileExists(path) ? "; the file there is of an earlier run" : ""
      warnings.add("\(path): no contact sheet is written, since none of the frames it shows was made\(stale)")
    }
    if let (collector, path) = report {
      let code = FrameRun.exitCode(ledger)?.rawValue ?? 0
      try deliver(collector.json(ledger, warnings: warnings.ofRun, code: code), to: path)
    }
    if let path = sheet?.path, let picture { try PNGFile(image: picture).write(to: path, compression: .balanced) }
  }
}

/// Gathers the pictures of a contact sheet from the codec threads.
final class ContactSheetCollector: Sendable {
  private let sheet: Mutex<ContactSheet>
  /// The place of each frame in this run, by its index in the list.
  private let places: [Int: Int]

  /// Chooses a few of `frames`.
  init(frames: [Frame]) {
    sheet = Mutex(ContactSheet(total: frames.count))
    places = Dictionary(uniqueKeysWithValues: frames.enumerated().map { ($1.index, $0) })
  }

  /// Takes a finished frame; those that were not chosen cost nothing.
  func add(_ frame: Frame, before: Image, after: Image) {
    guard let place = places[frame.index] else { return }
    sheet.withLock { $0.add(place, name: frame.name, before: before, after: after) }
  }

  /// The sheet; nil when no frame was finished.
  func image() -> Image? { sheet.withLock { $0.image() } }
}

extension RunRecord {
  /// Writes a picture of the difference between the device and the twins beside the output that was not written, if
  /// that has a place in a folder, and prints its path or why it could not be written.
  private static func writeDifference(_ frame: Frame, _ target: FrameTarget?, expected: Image, actual: Image) {
    let path: String
    switch target {
    case .file(let output): path = differencePath(output)
    case .film(let film) where film.name.contains("."): path = differencePath(film.name, frame: frame.number)
    case .film, .stream, nil: return
    }
    guard let difference = try? ImageDifference(expected: expected, actual: actual) else { return }
    do {
      try PNGFile(image: DifferencePicture(difference).image).write(to: path)
      Console.line("safelight: where they differ: \(path)")
    } catch {
      Console.line("safelight: \(path): the picture of the difference cannot be written: \(error)")
    }
  }

  /// `out/a.png` becomes `out/a.difference.png`, and frame 12 of `out/film.mkv` becomes
  /// `out/film.000012.difference.png`.
  private static func differencePath(_ output: String, frame: Int? = nil) -> String {
    let stem = output.lastIndex(of: ".").map { output[..<$0] } ?? output[...]
    let number = frame.map { "." + String(repeating: "0", count: max(0, 6 - "\($0)".count)) + "\($0)" } ?? ""
    return "\(stem)\(number).difference.png"
  }
}
