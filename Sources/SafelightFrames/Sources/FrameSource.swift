public import SafelightImage

/// A source of frames: a film, a stream, a camera, a sequence of pictures.
///
/// Iterating yields the frames in order, each with its presentation time and in memory of its own. Every iterator
/// starts anew: at the first frame of a file, at the present of a camera. A source waits until the next frame is
/// requested; leaving the loop, or cancelling the task, releases the processes, files and cameras that the iterator
/// held. ``FrameCapture`` turns a source into a camera that does not wait.
///
/// Errors are ``SafelightError``s and end the iteration; frames delivered before remain valid.
public protocol FrameSource: AsyncSequence, Sendable where Element == VideoFrame, Failure == SafelightError {
  /// The properties that all frames share.
  var format: VideoFormat { get }
}

/// The properties that the frames of a source share: the counterpart of a `CMVideoFormatDescription` and of a track's
/// properties.
public struct VideoFormat: Hashable, Sendable, CustomStringConvertible {
  /// Columns and rows as stored.
  public let size: Size
  /// The planes of every frame.
  public let layout: PixelLayout
  /// One tick of the source's clock: every presentation time is a multiple of it.
  public let timeBase: MediaTime
  /// The duration of a frame if the source states that all are equally long; nil otherwise, as for a variable frame
  /// rate.
  public let frameDuration: MediaTime?
  /// The orientation in which frames are delivered; applying it turns them upright.
  public let orientation: Orientation
  /// The meaning of the samples.
  public let color: ColorDescription
  /// The shape of a stored pixel; nil if the source does not say, which means square.
  public let pixelAspect: PixelAspect?
  /// Columns and rows before the source turned or scaled them, from which players derive properties that it does not
  /// state.
  public let storedSize: Size
  /// What the source says of itself besides.
  package var facts = VideoFacts()

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
  /// A text such as `640×360 bgra8, up, unspecified …`.
  public var description: String { "\(size) \(layout), \(orientation), \(color)" }
}

extension VideoFormat {
  /// Returns frame `index` of the format, made of the bytes of its planes.
  package func frame(_ index: Int, _ planes: [[UInt8]], at time: MediaTime) -> VideoFrame {
    let planes = planes.enumerated().map { number, bytes in
      PixelPlane(size: layout.planeSize(number, of: size), pixelFormat: layout.planeFormats[number], bytes: bytes)
    }
    return VideoFrame(
      index: index, size: size, layout: layout, planes: planes, presentationTime: time, duration: frameDuration,
      orientation: orientation, color: color)
  }
}

/// A film of a single picture, which is delivered only once its end is known to be undamaged.
public struct StillSource<Source: FrameSource>: FrameSource {
  /// The format of the source.
  public let format: VideoFormat
  package let source: Source
  private let name: String

  /// Makes a source of the picture of `source`, which messages call `name`.
  public init(_ source: Source, name: String) {
    self.source = source
    self.name = name
    format = source.format
  }

  /// Starts the source.
  public func makeAsyncIterator() -> Iterator { Iterator(frames: source.makeAsyncIterator(), name: name) }

  /// Iterates over the picture.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var frames: Source.AsyncIterator
    fileprivate let name: String

    /// Returns the picture, then nil.
    ///
    /// - Throws: The source's errors, and a ``SafelightImage/SafelightError`` of kind `unsupported` if there is a
    ///   second picture.
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

/// A film with a color description for what it leaves open.
public struct TaggedSource<Source: FrameSource>: FrameSource {
  /// The format of the source, with the color description applied.
  public let format: VideoFormat
  private let frames: AsyncMapSequence<Source, VideoFrame>

  /// Describes the samples of `source` by `color`, wherever the source does not describe them itself, or in a way that
  /// is not known here.
  public init(_ source: Source, color: ColorDescription) {
    format = source.format.replacing(color: source.format.color.filled(by: color))
    frames = source.map { $0.tagged($0.color.filled(by: color)) }
  }

  /// Starts the source.
  public func makeAsyncIterator() -> AsyncMapSequence<Source, VideoFrame>.Iterator { frames.makeAsyncIterator() }
}

extension VideoFormat {
  /// Returns the format with some properties replaced.
  public func replacing(
    size: Size? = nil, layout: PixelLayout? = nil, color: ColorDescription? = nil, frameDuration: MediaTime? = nil,
    timeBase: MediaTime? = nil, pixelAspect: PixelAspect? = nil
  ) -> VideoFormat {
    var format = VideoFormat(
      size: size ?? self.size, layout: layout ?? self.layout, timeBase: timeBase ?? self.timeBase,
      frameDuration: frameDuration ?? self.frameDuration, orientation: orientation, color: color ?? self.color,
      pixelAspect: pixelAspect ?? self.pixelAspect, storedSize: storedSize)
    format.facts = facts
    return format
  }
}

/// The frames of a source by display time, for a player that draws by a clock of its own: the counterpart of
/// `AVPlayerItemVideoOutput.copyPixelBuffer(forItemTime:)`.
public struct TimedFrames {
  private var iterator: any AsyncIteratorProtocol<VideoFrame, SafelightError>
  private var shown: VideoFrame?
  private var next: VideoFrame?
  private var hasBegun = false

  /// Opens `source` at its beginning.
  public init(_ source: some FrameSource) { iterator = source.makeAsyncIterator() }

  /// Returns the last frame that begins at `time` or earlier; nil before the first frame, the last one after the end.
  /// Times must not decrease: an earlier one returns the frame that is already shown.
  ///
  /// Reads one frame ahead; throws the source's errors.
  public mutating func frame(at time: MediaTime) async throws(SafelightError) -> VideoFrame? {
    if !hasBegun { (next, hasBegun) = (try await iterator.next(isolation: nil), true) }
    while let frame = next, frame.presentationTime <= time {
      shown = frame
      next = try await iterator.next(isolation: nil)
    }
    return shown
  }
}

/// A film for outputs that show all frames equally long; frames at other times are an error.
public struct EvenSource<Source: FrameSource>: FrameSource {
  /// The format of the source.
  public let format: VideoFormat
  private let source: Source
  private let name: String
  private let duration: MediaTime
  private let onLoss: (@Sendable (String) -> Void)?

  /// Makes a source that checks the times of `source`, which messages call `name`, against its frame duration. `onLoss`
  /// receives one sentence if the last frame is shown for another time.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if it has none, since its rate varies.
  public init(
    _ source: Source, name: String, onLoss: (@Sendable (String) -> Void)? = nil
  ) throws(SafelightError) {
    guard let duration = source.format.frameDuration else {
      throw Self.uneven(name, "its frame rate varies or is unknown, but the output needs a constant one")
    }
    self.source = source
    self.name = name
    self.duration = duration
    self.onLoss = onLoss
    format = source.format
  }

  /// Starts the source.
  public func makeAsyncIterator() -> Iterator { Iterator(source: self, frames: source.makeAsyncIterator()) }

  /// Iterates over the frames.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: EvenSource
    fileprivate var frames: Source.AsyncIterator
    fileprivate var first: MediaTime?
    fileprivate var count: Int64 = 0
    fileprivate var lastDuration: MediaTime?

    /// Returns the next frame.
    ///
    /// - Throws: The source's errors, and a ``SafelightError`` of kind `unsupported` at a frame that is more than half
    ///   a frame duration off its place, unless the film's clock rounds that much.
    public mutating func next(isolation: isolated (any Actor)?) async throws(SafelightError) -> VideoFrame? {
      guard let frame = try await frames.next(isolation: isolation) else {
        source.tell(ofLast: lastDuration.take())
        return nil
      }
      defer { count += 1 }
      lastDuration = frame.duration
      let first = first ?? frame.presentationTime
      self.first = first
      guard source.isEven(frame.presentationTime, at: count, from: first) else {
        let distance = frame.presentationTime.seconds - first.seconds
        throw EvenSource.uneven(
          source.name,
          "frame \(count + 1) is shown \(distance) s after the first, but one every \(source.duration) was announced")
      }
      return frame
    }
  }

  private func isEven(_ time: MediaTime, at count: Int64, from first: MediaTime) -> Bool {
    guard let expected = duration.multiplied(by: count) else { return false }
    // Ticks of the product of the three clocks would overflow; a double is exact to a millionth of a frame for months.
    let deviation = abs(time.seconds - first.seconds - expected.seconds)
    return deviation <= duration.seconds * 0.500_001 || deviation < format.timeBase.seconds * 0.999_999
  }

  private func tell(ofLast last: MediaTime?) {
    guard let last, abs(last.seconds - duration.seconds) > duration.seconds / 2 else { return }
    onLoss?(
      "\(name) shows its last frame for \(last.seconds) s, and the output for \(duration.seconds) s like all others")
  }

  private static func uneven(_ name: String, _ why: String) -> SafelightError {
    SafelightError(
      .unsupported, name, why: why,
      remedy: "write a film with frame times, such as .mkv, or set a frame rate", setting: .frameRate)
  }
}
