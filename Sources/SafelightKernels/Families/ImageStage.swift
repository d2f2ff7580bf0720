public import SafelightGPU
public import SafelightImage

/// A kernel on one device, as a stage of a chain.
///
/// A stage may keep resources between frames; its frames are committed to one queue in the order of encoding.
public protocol ImageStage: Sendable {
  /// The number of earlier pictures on which a picture's result depends; 0 for most.
  ///
  /// A result must not depend on more, nor on where a run began: a part of a film gives the same frames as the whole.
  var history: Int { get }
  /// True if a result has the size of its picture and each pixel depends only on the pixel at its place, so that a
  /// picture can be processed in parts.
  var isPointwise: Bool { get }

  /// Returns the size to which all of a picture of `size` is scaled. If that has other proportions, so have the pixels.
  func scaledSize(of size: Size) -> Size

  /// Returns whether the result of a picture like `image` has its columns as rows.
  ///
  /// - Throws: ``SafelightError`` as ``output(of:)`` does.
  func exchangesAxes(of image: ImageDescriptor) throws(SafelightError) -> Bool

  /// True if a result is upright as it is stored, whatever was said of its picture.
  var makesUpright: Bool { get }

  /// Forgets earlier pictures: the next one is the first.
  func reset()

  /// Returns one stage that does what this one does and then `next`, with fewer commands; nil if none can.
  func joined(with next: any ImageStage) -> (any ImageStage)?

  /// True if a picture's result depends on its position in a sequence.
  var dependsOnPosition: Bool { get }

  /// True if a picture's result depends on the name of its file or film, or on its number there.
  var dependsOnName: Bool { get }

  /// The number of second pictures, of the size and format of the first, that the stage reads; 0 for most.
  var secondCount: Int { get }

  /// True if the stage reads a mask.
  var readsMask: Bool { get }

  /// Returns what the stage itself has for a picture like `image`, which is `frame`; nil for most. Several calls may be
  /// made at once, in any order.
  ///
  /// - Throws: ``SafelightError`` if the stage knows of no such frame.
  func input(for frame: FrameIdentity, like image: ImageDescriptor) throws(SafelightError) -> StageInput?

  /// Returns the size, format and meaning of the result for a picture like `image`. Called before anything is recorded.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` or `limit` if the stage is not defined for such pictures.
  func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor

  /// The stage's measurement of its pictures; nil for a stage without one.
  var measurement: (any StageMeasurement)? { get }

  /// Records the stage. `input` is its second pictures, or what ``input(for:)`` returned. The destination has the size
  /// and the format of ``output(of:)``.
  func encode(to buffer: CommandBuffer, source: TiledTexture, input: StageInput?, destination: TiledTexture)
}

/// A picture's name and position among the frames of a run.
public struct FrameIdentity: Hashable, Sendable {
  /// The name in errors: the file, or the film and the frame's number.
  public let name: String
  /// The number in the file's name or in the film; nil for a picture that stands alone.
  public let number: Int?
  /// The position in the sequence, from 0; nil for a picture that stands alone.
  public let position: Int?
  /// The path of the file or film.
  public let source: String
  /// The number of frames that are missing before it in its sequence, as the numbers in names show.
  public let missingBefore: Int

  /// Makes an identity; without a position, that of a picture that stands alone. Without a source the name is its.
  public init(
    name: String, number: Int? = nil, position: Int? = nil, source: String? = nil, missingBefore: Int = 0
  ) {
    self.name = name
    self.source = source ?? name
    self.number = number
    self.position = position
    self.missingBefore = missingBefore
  }
}

/// An input of a stage besides its picture.
public enum StageInput: Sendable {
  /// Second pictures, of the format of the first unless the stage made them; a mask of the first's size and format,
  /// whose red is the part of the result that stays; and the frame's position, nil for a picture that stands alone.
  case pictures([TiledTexture], mask: TiledTexture? = nil, position: Int? = nil)
  /// A look-up table.
  case table([UInt16])
  /// Nothing: the frame is not one of those that the stage is for, and stays as it is. Nobody has the stage encode it.
  case unchanged
}

extension StageInput {
  /// The second pictures; none for a table.
  package var pictures: [TiledTexture] { if case .pictures(let pictures, _, _) = self { pictures } else { [] } }
  /// The mask, if there is one.
  package var mask: TiledTexture? { if case .pictures(_, let mask, _) = self { mask } else { nil } }
  /// The frame's position, if it is known.
  package var position: Int? { if case .pictures(_, _, let position) = self { position } else { nil } }
  /// True if the frame stays as it is.
  package var isUnchanged: Bool { if case .unchanged = self { true } else { false } }
}

extension ImageStage {
  /// 0 by default.
  public var history: Int { 0 }
  /// False by default.
  public var isPointwise: Bool { false }
  /// Nil by default.
  public var measurement: (any StageMeasurement)? { nil }
  /// False by default.
  public var dependsOnPosition: Bool { false }
  /// False by default.
  public var dependsOnName: Bool { false }
  /// 0 by default.
  public var secondCount: Int { 0 }
  /// False by default.
  public var readsMask: Bool { false }
  /// False by default.
  public var makesUpright: Bool { false }
  /// False by default.
  public func exchangesAxes(of image: ImageDescriptor) throws(SafelightError) -> Bool { false }

  /// The same by default.
  public func scaledSize(of size: Size) -> Size { size }
  /// Does nothing by default.
  public func reset() {}
  /// Nil by default.
  public func joined(with next: any ImageStage) -> (any ImageStage)? { nil }
  /// Nil by default.
  public func input(for frame: FrameIdentity, like image: ImageDescriptor) throws(SafelightError) -> StageInput? { nil }
  /// The same as `image` by default.
  public func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor { image }
}

/// A measurement that a stage makes of its pictures: numbers besides its result.
public protocol StageMeasurement: Sendable {
  /// The name in reports.
  var name: String { get }

  /// Returns the number of bytes that the device writes for a picture like `source`, a multiple of 4.
  func byteCount(of source: TiledTexture) -> Int

  /// Records the measuring of `source`, into `memory` from byte `offset` on.
  func encode(to buffer: CommandBuffer, source: TiledTexture, into memory: Buffer, offset: Int)

  /// Returns the measured numbers of a picture, each with its name.
  func values(_ bytes: [UInt8], of image: ImageDescriptor) -> [(name: String, value: Double)]
}
