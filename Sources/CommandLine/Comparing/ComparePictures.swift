import Safelight

/// The pictures of one side of a comparison, in order. Only one is made ahead of the one in use, so memory does not
/// grow with the length.
struct ComparePictures: Sendable {
  /// A picture, or the error in its place.
  struct Picture: Sendable {
    let image: Result<Image, SafelightError>
    /// The time at which a film shows it, and how long; nil if that is not stated.
    var time, duration: MediaTime?
    /// True if no picture can follow: a damaged film breaks off.
    let isLast: Bool
  }

  /// The facts that a film states of all its pictures.
  struct Video {
    let format: VideoFormat
    let facts: StatedFacts
  }

  /// The film; nil for files.
  let film: Video?
  private let pictures: Handover<Picture>
  private let making: Task<Void, Never>

  /// Reads files, each of which may fail by itself.
  init(_ frames: [Frame]) {
    self.init(film: nil) { pictures in
      for frame in frames {
        let image = Self.result(frame.path) { try PNGFile(reading: frame.path).image }
        guard await pictures.send(Picture(image: image, isLast: false)) else { return }
      }
    }
  }

  /// Plays the film `name`; `processor` converts luma and chroma to red, green and blue. `companions` are the other
  /// parts of its file.
  init(_ source: some FrameSource, name: String, besides companions: [String], through processor: FrameProcessor) {
    let facts = StatedFacts(source.format, besides: companions)
    self.init(film: Video(format: source.format, facts: facts)) { pictures in
      do {
        var (frames, number) = (source.makeAsyncIterator(), 0)
        while let frame = try await frames.next(isolation: nil) {
          number += 1
          let image = try await processor.image(of: frame, "\(name), frame \(number)")
          let picture = Picture(
            image: .success(image), time: frame.presentationTime, duration: frame.duration, isLast: false)
          guard await pictures.send(picture) else { return }
        }
      } catch {
        // The film ends here, so later frames of the other side are not compared; the error says so.
        let broken = Self.result(name) { throw error }.mapError { error in
          SafelightError(
            error.kind, error.what, why: error.why + "; no frame behind it was compared", remedy: error.remedy,
            setting: error.setting)
        }
        _ = await pictures.send(Picture(image: broken, isLast: true))
      }
    }
  }

  private init(film: Video?, _ make: @escaping @Sendable (Handover<Picture>) async -> Void) {
    self.film = film
    let pictures = Handover<Picture>(capacity: 1)
    self.pictures = pictures
    making = Task {
      await make(pictures)
      pictures.finish()
    }
  }

  private static func result(_ name: String, _ make: () throws -> Image) -> Result<Image, SafelightError> {
    Result(catching: make).mapError { $0 as? SafelightError ?? SafelightError(.transfer, name, why: "\($0)") }
  }

  /// The next picture; nil at the end, and once the task is canceled.
  func next() async throws -> Picture? { try await pictures.next() }

  /// Stops making pictures, and closes the film.
  func close() {
    pictures.close()
    making.cancel()
  }
}

/// One side of a comparison in which at least one side is a film.
struct CompareSide {
  /// The film; nil if the side is files.
  let film: VideoInput?
  let files: [Frame]

  /// The two sides; nil if neither is a film.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if both are the same film, of kind `missingInput` if a side does not
  ///   exist.
  static func both(
    _ expected: String, _ actual: String, isRecursive: Bool, _ film: VideoInputArguments
  ) throws -> (expected: CompareSide, actual: CompareSide)? {
    let films = try [expected, actual].map { try VideoInput($0, isRaw: film.inputFormat != nil) }
    try film.refuseUnused(from: films.compactMap { $0 })
    guard films.contains(where: { $0 != nil }) else { return nil }
    if let one = films[0], let other = films[1], one == other || isOneFile(one.name, other.name) {
      throw SafelightError(
        .usage, actual, why: "\(expected) is the same film, and comparing a film with itself proves nothing",
        remedy: "name another film to compare it with")
    }
    func side(_ film: VideoInput?, _ name: String) throws -> CompareSide {
      CompareSide(film: film, files: film == nil ? try FrameList([name], isRecursive: isRecursive).frames : [])
    }
    return (try side(films[0], expected), try side(films[1], actual))
  }

  /// All files that the side reads.
  var inputs: [String] { film.map { [$0.name] } ?? files.map(\.path) }

  /// The file of the picture at place `index`.
  func path(_ index: Int) -> String { film?.name ?? files[index].path }

  /// The name of the picture at place `index`, for messages.
  func name(_ index: Int) -> String { film.map { "\($0.name), frame \(index + 1)" } ?? files[index].path }
}

extension FrameProcessor {
  /// Returns the picture of a film's frame, converted if it is luma and chroma.
  func image(of frame: VideoFrame, _ label: String) async throws -> Image {
    let picture = try FramePicture(frame, name: label)
    if let image = picture.image { return image }
    return try await submit(picture, as: .image, label: label).image()
  }
}
