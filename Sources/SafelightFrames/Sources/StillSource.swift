public import SafelightImage

/// A film that is a single picture, and comes once it is known to be whole: damage behind the picture keeps it back.
public struct StillSource<Source: FrameSource>: FrameSource {
  /// That of the source.
  public let format: VideoFormat
  private let source: Source
  private let name: String

  /// Takes the picture of `source`, which messages call `name`.
  public init(_ source: Source, name: String) {
    self.source = source
    self.name = name
    format = source.format
  }

  /// Starts the source.
  public func makeAsyncIterator() -> Iterator { Iterator(frames: source.makeAsyncIterator(), name: name) }

  /// The picture.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var frames: Source.AsyncIterator
    fileprivate let name: String

    /// The picture, then nil.
    ///
    /// Throws what the source throws, and a ``SafelightImage/SafelightError`` of kind `unsupported` where a second picture comes.
    public mutating func next(isolation: isolated (any Actor)?) async throws(SafelightError) -> VideoFrame? {
      guard let picture = try await frames.next(isolation: isolation) else { return nil }
      guard try await frames.next(isolation: isolation) == nil else {
        throw SafelightError(
          .unsupported, name, why: "it holds more than one picture",
          remedy: "make a film of it: ffmpeg -i '\(name)' -c:v ffv1 film.mkv")
      }
      return picture
    }
  }
}
