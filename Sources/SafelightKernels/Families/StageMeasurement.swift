public import SafelightGPU
public import SafelightImage

/// What a stage finds out about the pictures that it gets: numbers beside the picture that it makes.
public protocol StageMeasurement: Sendable {
  /// What reports call it.
  var name: String { get }

  /// The bytes that the device writes for a picture like `source`, a multiple of 4.
  func byteCount(of source: TiledTexture) -> Int

  /// Records the measuring of `source`, into `memory` from byte `offset` on.
  func encode(to buffer: CommandBuffer, source: TiledTexture, into memory: Buffer, offset: Int)

  /// Returns what the bytes say of a picture, each number with its name.
  func values(_ bytes: [UInt8], of image: ImageDescriptor) -> [(name: String, value: Double)]
}
