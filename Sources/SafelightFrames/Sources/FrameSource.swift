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
