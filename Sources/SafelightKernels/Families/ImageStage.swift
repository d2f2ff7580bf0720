public import SafelightGPU
public import SafelightImage

/// A kernel on one device, as a stage of a chain.
///
/// A stage may keep resources of its own between frames; its frames are committed to one queue in the order in which
/// they were encoded.
public protocol ImageStage: Sendable {
  /// How many pictures before its own a picture's result depends on; 0 for most.
  ///
  /// A result must depend on no more than these, and not on where a run began: then a part of a film comes out as in
  /// the whole.
  var history: Int { get }

  /// Which pixels a pixel of a result depends on.
  var reach: StageReach { get }

  /// Forgets the pictures before: the next is the first.
  func reset()

  /// Returns the size, the format and the meaning of what a picture like `image` becomes. Asked before anything is
  /// recorded.
  ///
  /// - Throws: ``SafelightError`` of the kind `unsupported` or `limit` where the stage is not defined for such
  /// pictures.
  func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor

  /// What the stage finds out about the pictures that it gets; nil where it only makes another.
  var measurement: (any StageMeasurement)? { get }

  /// Records the stage. The destination has the size and the format of ``output(of:)``.
  func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture)
}

extension ImageStage {
  /// None: each picture stands for itself.
  public var history: Int { 0 }

  /// The whole picture.
  public var reach: StageReach { .picture }

  /// None.
  public var measurement: (any StageMeasurement)? { nil }

  /// Nothing to forget.
  public func reset() {}

  /// Pictures of the same kind.
  public func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor { image }
}

/// Which pixels of a picture a pixel of a result depends on.
public enum StageReach: Hashable, Sendable {
  /// The one at its place, wherever that is: a picture can be taken through the stage in parts.
  case pixel
  /// Those of the same place and up to so many columns and rows beside it: parts need a border of so many.
  case neighbors(Int)
  /// Perhaps any.
  case picture
}
