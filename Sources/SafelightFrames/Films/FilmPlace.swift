/// Where a film that is a plain stream of bytes comes from or goes to.
public enum FilmPlace: Hashable, Sendable {
  /// A path. A file that is written appears whole or not at all; pipes and devices are written as they are.
  case file(String)
  /// An open descriptor, which stays open, and what messages call it.
  case descriptor(Int32, name: String)

  /// Descriptor 0.
  public static let standardInput = FilmPlace.descriptor(0, name: "standard input")
  /// Descriptor 1.
  public static let standardOutput = FilmPlace.descriptor(1, name: "standard output")

  /// As messages call it.
  package var name: String {
    switch self {
    case .file(let path): path
    case .descriptor(_, let name): name
    }
  }
}
