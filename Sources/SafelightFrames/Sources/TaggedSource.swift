public import SafelightImage

/// A film of which is said what it leaves open.
public struct TaggedSource<Source: FrameSource>: FrameSource {
  /// That of the source, with what was said.
  public let format: VideoFormat
  private let source: Source
  private let color: ColorDescription

  /// Says that the samples of `source` mean `color`, wherever it says nothing itself, or something that is not known here.
  public init(_ source: Source, color: ColorDescription) {
    self.source = source
    self.color = color
    format = source.format.replacing(color: source.format.color.filled(by: color))
  }

  /// Starts the source.
  public func makeAsyncIterator() -> Iterator { Iterator(frames: source.makeAsyncIterator(), color: color) }

  /// Its frames.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var frames: Source.AsyncIterator
    fileprivate let color: ColorDescription

    /// The next frame; what the source throws.
    public mutating func next(isolation: isolated (any Actor)?) async throws(SafelightError) -> VideoFrame? {
      guard let frame = try await frames.next(isolation: isolation) else { return nil }
      return frame.tagged(frame.color.filled(by: color))
    }
  }
}

extension VideoFormat {
  /// The same with another size, meaning, layout, duration or clock.
  public func replacing(
    size: Size? = nil, layout: PixelLayout? = nil, color: ColorDescription? = nil, frameDuration: MediaTime? = nil,
    timeBase: MediaTime? = nil
  ) -> VideoFormat {
    VideoFormat(
      size: size ?? self.size, layout: layout ?? self.layout, timeBase: timeBase ?? self.timeBase,
      frameDuration: frameDuration ?? self.frameDuration, orientation: orientation, color: color ?? self.color,
      pixelAspect: pixelAspect,
      storedSize: storedSize)
  }
}
