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

  /// Whether each pixel of a result depends on the pixel at its place alone, and not on where that is: then a picture
  /// can be taken through the stage in parts.
  var isPointwise: Bool { get }

  /// Forgets the pictures before: the next is the first.
  func reset()

  /// Throws where the stage is not defined for pictures like `image`; asked before anything is recorded.
  func check(_ image: ImageDescriptor) throws(SafelightError)

  /// What the samples mean after the stage, when they meant `color` before it; throws where the stage is not defined
  /// for that, naming both. Asked before anything is recorded.
  func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription

  /// Records the stage. Source and destination have the same size, format and tiles.
  func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture)
}

extension ImageStage {
  /// None: each picture stands for itself.
  public var history: Int { 0 }

  /// Not known: the stage needs the whole picture.
  public var isPointwise: Bool { false }

  /// Nothing to forget.
  public func reset() {}

  /// Takes every picture.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {}

  /// Samples mean what they meant.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription { color }
}
