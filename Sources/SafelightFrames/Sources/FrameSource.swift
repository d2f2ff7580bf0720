public import SafelightImage

/// A moving source: a film, a stream, a camera, a sequence of pictures.
///
/// Iterating gives its frames in their order, each with its presentation time, and never two of them in one piece of
/// memory. Every iterator begins anew, at the first frame of a file and at the present of a camera. A source holds its
/// frames back while nobody asks for the next; leaving the loop, or cancelling the task, gives up what the iterator
/// held: processes, files, cameras. ``FrameCapture`` turns a source into a camera that does not wait.
///
/// Errors are ``SafelightError``s and end the iteration: what was delivered before stands.
public protocol FrameSource: AsyncSequence, Sendable where Element == VideoFrame, Failure == SafelightError {
  /// What all frames have in common.
  var format: VideoFormat { get }
}

/// What the frames of a source have in common: the counterpart of a `CMVideoFormatDescription` and of a track's
/// properties.
public struct VideoFormat: Hashable, Sendable, CustomStringConvertible {
  /// Columns and rows as stored.
  public let size: Size
  /// The planes of every frame.
  public let layout: PixelLayout
  /// One tick of the source's clock: every presentation time is a whole number of them.
  public let timeBase: MediaTime
  /// How long a frame is shown, where the source says that all are shown equally long; nil where it does not, as for a
  /// variable frame rate.
  public let frameDuration: MediaTime?
  /// How to turn the frames upright; they are delivered as stored.
  public let orientation: Orientation
  /// What the samples mean.
  public let color: ColorDescription
  /// The shape of a pixel as stored; nil where the source does not say, and square is meant.
  public let pixelAspect: PixelAspect?
  /// Columns and rows before the source turned or scaled them, by which players judge what it does not say.
  public let storedSize: Size

  /// Makes a description.
  public init(
    size: Size, layout: PixelLayout, timeBase: MediaTime, frameDuration: MediaTime? = nil,
    orientation: Orientation = .up, color: ColorDescription = .unspecified, pixelAspect: PixelAspect? = nil,
    storedSize: Size? = nil
  ) {
    self.size = size
    self.layout = layout
    self.timeBase = timeBase
    self.frameDuration = frameDuration
    self.orientation = orientation
    self.color = color
    self.pixelAspect = pixelAspect
    self.storedSize = storedSize ?? size
  }

  /// Columns and rows once ``orientation`` is applied.
  public var uprightSize: Size { orientation.uprightSize(of: size) }

  /// For people: `640×360 bgra8, up, unspecified …`.
  public var description: String { "\(size) \(layout), \(orientation), \(color)" }
}

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

/// Shows what a source shows at a time, as a player does that draws by a clock of its own: the counterpart of
/// `AVPlayerItemVideoOutput.copyPixelBuffer(forItemTime:)`.
public struct TimedFrames {
  private var iterator: any AsyncIteratorProtocol<VideoFrame, SafelightError>
  private var shown: VideoFrame?
  private var next: VideoFrame?
  private var hasBegun = false

  /// Opens `source` at its beginning.
  public init(_ source: some FrameSource) { iterator = source.makeAsyncIterator() }

  /// The last frame that begins at `time` or before; nil before the first, the last one from then on. Times are asked
  /// for in ascending order: an earlier one gets the frame that is shown.
  ///
  /// Reads one frame ahead, and throws what the source throws on the way.
  public mutating func frame(at time: MediaTime) async throws(SafelightError) -> VideoFrame? {
    if !hasBegun { (next, hasBegun) = (try await iterator.next(isolation: nil), true) }
    while let frame = next, frame.presentationTime <= time {
      shown = frame
      next = try await iterator.next(isolation: nil)
    }
    return shown
  }
}

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
