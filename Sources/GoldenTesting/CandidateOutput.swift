internal import Glibc
internal import SafelightFrames
internal import SafelightImage
internal import Testing

/// Where pictures go that may become goldens, if `SAFELIGHT_CANDIDATES` says so.
struct CandidateOutput {
  let folder: String

  static var ofProcess: CandidateOutput? {
    unsafe getenv("SAFELIGHT_CANDIDATES").map { CandidateOutput(folder: unsafe String(cString: $0)) }
  }

  /// Writes the candidate for the golden `name`, below the module's name and that of its golden folder.
  func write(_ image: Image, named name: String, of goldens: String, _ sourceLocation: SourceLocation) throws {
    let place = SafelightFrames.path(
      SafelightFrames.path(folder, sourceLocation.moduleName), PathParts(goldens).name)
    let file = SafelightFrames.path(place, "\(name).png")
    try Folder.make(PathParts(file).folder)
    try PNGFile(image: image).write(to: file)
  }
}
