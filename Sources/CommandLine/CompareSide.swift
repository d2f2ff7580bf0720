import Safelight

/// One side of a comparison of which at least one is a film.
enum CompareSide {
  case film(FilmInput)
  case files([Frame])

  /// The two sides; nil if neither is a film.
  ///
  /// Throws a ``SafelightError`` of kind `usage` if both are one film, `missingInput` if a side is not there.
  static func both(
    _ expected: String, _ actual: String, isRecursive: Bool, _ film: FilmInputArguments
  ) throws -> (expected: CompareSide, actual: CompareSide)? {
    let films = try [expected, actual].map { try FilmInput($0, isRaw: film.inputFormat != nil) }
    try film.refuseUnused(from: films.compactMap { $0 })
    guard films.contains(where: { $0 != nil }) else { return nil }
    if let one = films[0], let other = films[1], one == other || isOneFile(one.name, other.name) {
      throw SafelightError(
        .usage, actual, why: "\(expected) is the same film, and a side compared with itself proves nothing",
        remedy: "name what is to be compared with it")
    }
    func side(_ film: FilmInput?, _ name: String) throws -> CompareSide {
      try film.map { .film($0) } ?? .files(FrameList([name], isRecursive: isRecursive).frames)
    }
    return (try side(films[0], expected), try side(films[1], actual))
  }

  var film: FilmInput? {
    guard case .film(let film) = self else { return nil }
    return film
  }

  /// All files that it reads.
  var inputs: [String] {
    switch self {
    case .film(let film): [film.name]
    case .files(let frames): frames.map(\.path)
    }
  }

  /// The file of the picture at place `index`.
  func path(_ index: Int) -> String {
    switch self {
    case .film(let film): film.name
    case .files(let frames): frames[index].path
    }
  }

  /// What the picture at place `index` is called.
  func name(_ index: Int) -> String {
    switch self {
    case .film(let film): "\(film.name), frame \(index + 1)"
    case .files(let frames): frames[index].path
    }
  }
}
