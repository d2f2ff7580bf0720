internal import Glibc
internal import SafelightFrames
internal import SafelightGolden
package import SafelightImage
internal import Testing

/// Where pictures go that may become goldens, if `SAFELIGHT_CANDIDATES` says so.
package struct CandidateOutput {
  let folder: String

  package init(folder: String) { self.folder = folder }

  static var ofProcess: CandidateOutput? {
    unsafe getenv("SAFELIGHT_CANDIDATES").map { CandidateOutput(folder: unsafe String(cString: $0)) }
  }

  /// Writes the candidate for the golden `name`, in a folder that lies as the folder `goldens` does in its package.
  ///
  /// - Throws: ``SafelightError`` of the kind `usage` where that is the golden folder itself.
  package func write(_ image: Image, named name: String, of goldens: String) throws {
    let place = ([folder] + Self.partsInPackage(goldens)).joined(separator: "/")
    guard !isOneFile(place, goldens) else {
      throw SafelightError(
        .usage, "SAFELIGHT_CANDIDATES=\(folder)", why: "the candidates would be written into the goldens, \(goldens)",
        remedy: "name a folder outside the package")
    }
    let file = "\(place)/\(name).png"
    try Folder.make(PathParts(file).folder)
    try PNGFile(image: image.samplesAlone).write(to: file)
  }

  /// The names on the way from the folder with Package.swift, or from the root where there is none.
  private static func partsInPackage(_ path: String) -> [String] {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    let package = parts.indices.last { fileExists("/" + parts[..<$0].joined(separator: "/") + "/Package.swift") }
    return parts[(package ?? 0)...].map(String.init)
  }
}
