public import SafelightImage

/// A film for outputs that show all frames equally long: refused where its frames come at other times.
public struct EvenSource<Source: FrameSource>: FrameSource {
  /// That of the source.
  public let format: VideoFormat
  private let source: Source
  private let name: String
  private let duration: MediaTime

  /// Holds the frames of `source`, which messages call `name`, to its frame duration.
  ///
  /// Throws a ``SafelightError`` of kind `unsupported` where it has none: its rate varies.
  public init(_ source: Source, name: String) throws(SafelightError) {
    guard let duration = source.format.frameDuration else {
      throw Self.uneven(name, "it names no one rate for all of its frames, and what is to be written has one")
    }
    self.source = source
    self.name = name
    self.duration = duration
    format = source.format
  }

  /// Starts the source.
  public func makeAsyncIterator() -> Iterator { Iterator(source: self, frames: source.makeAsyncIterator()) }

  /// Its frames.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: EvenSource
    fileprivate var frames: Source.AsyncIterator
    private var first: MediaTime?
    private var count: Int64 = 0

    fileprivate init(source: EvenSource, frames: Source.AsyncIterator) {
      self.source = source
      self.frames = frames
    }

    /// The next frame; what the source throws, and a ``SafelightError`` of kind `unsupported` at a frame that is more than half a duration
    /// beside its place, and not for the rounding of the film's clock.
    public mutating func next(isolation: isolated (any Actor)?) async throws(SafelightError) -> VideoFrame? {
      guard let frame = try await frames.next(isolation: isolation) else { return nil }
      defer { count += 1 }
      let first = first ?? frame.presentationTime
      self.first = first
      guard source.isEven(frame.presentationTime, at: count, from: first) else {
        throw EvenSource.uneven(
          source.name,
          "frame \(count + 1) is shown \(frame.presentationTime.seconds - first.seconds) s after the first, and one each \(source.duration) was announced"
        )
      }
      return frame
    }
  }

  private func isEven(_ time: MediaTime, at count: Int64, from first: MediaTime) -> Bool {
    guard let expected = duration.multiplied(by: count) else { return false }
    // Ticks of the product of the three clocks would not fit; a double is exact to a millionth of a frame for months.
    let deviation = abs(time.seconds - first.seconds - expected.seconds)
    return deviation <= duration.seconds * 0.500_001 || deviation < format.timeBase.seconds * 0.999_999
  }

  private static func uneven(_ name: String, _ why: String) -> SafelightError {
    SafelightError(
      .unsupported, name, why: why,
      remedy: "write a film with times, such as .mkv, or say how many frames a second to write", setting: .frameRate)
  }
}
