import Safelight
import SafelightGolden

/// The pictures of differences from goldens, each called as its golden.
struct GoldenDifferences {
  private let folder: String

  /// Makes `folder`, after making sure that the pictures of `names` lie neither among `goldens` nor among the pictures to compare.
  init(_ folder: String, of names: [String], goldens: String, actual: String) throws {
    self.folder = folder
    for name in names { try check(name, goldens, actual) }
    try Folder.make(folder)
    // What was not there could not be followed.
    for name in names { try check(name, goldens, actual) }
  }

  /// Writes where the picture differs. An older one, which would lie, goes where it does not.
  func write(_ outcome: GoldenOutcome) throws {
    let file = file(outcome.name)
    guard outcome.status == .differs, let difference = outcome.verdict?.difference else {
      return try AtomicFile.remove(file)
    }
    try Folder.make(PathParts(file).folder)
    try PNGFile(image: DifferencePicture(difference).image).write(to: file)
  }

  private func file(_ name: String) -> String { path(folder, "\(name).png") }

  private func check(_ name: String, _ goldens: String, _ actual: String) throws(SafelightError) {
    try ReportPath.refuse(file(name), in: goldens, "the goldens, which a comparison never writes into")
    try ReportPath.refuse(file(name), in: actual, "the pictures that are compared")
  }
}
