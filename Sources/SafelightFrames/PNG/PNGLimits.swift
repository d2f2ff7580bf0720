/// How much a file may ask for before it is refused; checked before memory is taken for its pixels.
public struct PNGLimits: Hashable, Sendable {
  /// Columns; the default is a million.
  public var width: Int
  /// Rows; the default is a million.
  public var height: Int
  /// Columns × rows; the default is 2²⁹, for example 32768×16384. A pixel takes 1 to 8 bytes in memory.
  public var pixels: Int
  /// Chunks other than the pixels; the default is 1000.
  public var metadataChunks: Int

  /// Bytes of all these chunks together; the default is 16 MiB.
  public var metadataBytes: Int

  /// Makes limits.
  public init(
    width: Int = 1_000_000, height: Int = 1_000_000, pixels: Int = 1 << 29, metadataChunks: Int = 1000,
    metadataBytes: Int = 1 << 24
  ) {
    self.width = width
    self.height = height
    self.pixels = pixels
    self.metadataChunks = metadataChunks
    self.metadataBytes = metadataBytes
  }
}
