public import SafelightImage

/// What a Swift twin is called with: the bindings of its command, as memory.
///
/// Lives for one call on the CPU executor's thread.
public final class TwinArguments {
  /// The threads of the grid, or the size of the render target.
  public let grid: Size
  /// The render target of a draw.
  public let colorAttachment: TextureMemory?

  private let textures: [Int: TextureMemory]
  private let buffers: [Int: BufferMemory]
  private let bytes: [Int: [UInt8]]

  init(
    grid: Size, colorAttachment: TextureMemory?, textures: [Int: TextureMemory], buffers: [Int: BufferMemory],
    bytes: [Int: [UInt8]]
  ) {
    self.grid = grid
    self.colorAttachment = colorAttachment
    self.textures = textures
    self.buffers = buffers
    self.bytes = bytes
  }

  /// The texture at `index`; the encoder checked that it is bound.
  public func texture(_ index: Int) -> TextureMemory {
    guard let texture = textures[index] else {
      preconditionFailure("texture \(index) is not an argument of this function")
    }
    return texture
  }

  /// The buffer at `index`.
  public func buffer(_ index: Int) -> BufferMemory {
    guard let buffer = buffers[index] else {
      preconditionFailure("buffer \(index) is not an argument of this function")
    }
    return buffer
  }

  /// The bytes at `index` as 32-bit words.
  public func words(_ index: Int) -> [UInt32] {
    guard let bytes = bytes[index] else { preconditionFailure("bytes \(index) are not an argument of this function") }
    return unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: UInt32.self)) }
  }
}

/// A texture in the CPU executor.
///
/// The samples are a copy-on-write array: uploading and reading back whole textures copies nothing.
public final class TextureMemory {
  /// Columns and rows.
  public let size: Size
  /// How a pixel lies in memory.
  public let pixelFormat: PixelFormat
  var bytes: [UInt8]

  init(size: Size, pixelFormat: PixelFormat) {
    self.size = size
    self.pixelFormat = pixelFormat
    bytes = [UInt8](repeating: 0, count: size.area * pixelFormat.bytesPerPixel)
  }

  /// Bytes from one row to the next.
  var bytesPerRow: Int { size.width * pixelFormat.bytesPerPixel }

  /// Reads all samples, row by row, as integers of the format's width.
  public func withSamples<Sample: FixedWidthInteger & BitwiseCopyable, Result>(
    of type: Sample.Type, _ body: (UnsafeBufferPointer<Sample>) throws -> Result
  ) rethrows -> Result {
    unsafe try bytes.withUnsafeBytes { unsafe try body($0.bindMemory(to: type)) }
  }

  /// Writes samples, row by row.
  public func withMutableSamples<Sample: FixedWidthInteger & BitwiseCopyable, Result>(
    of type: Sample.Type, _ body: (UnsafeMutableBufferPointer<Sample>) throws -> Result
  ) rethrows -> Result {
    unsafe try bytes.withUnsafeMutableBytes { unsafe try body($0.bindMemory(to: type)) }
  }
}

/// A buffer in the CPU executor.
public final class BufferMemory {
  var bytes: [UInt8]

  init(length: Int) { bytes = [UInt8](repeating: 0, count: length) }

  /// Reads and writes the buffer as 32-bit words.
  public func withWords<Result>(_ body: (UnsafeMutableBufferPointer<UInt32>) throws -> Result) rethrows -> Result {
    unsafe try bytes.withUnsafeMutableBytes { unsafe try body($0.bindMemory(to: UInt32.self)) }
  }
}
