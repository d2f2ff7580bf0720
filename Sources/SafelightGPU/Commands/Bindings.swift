internal import SafelightGLES
internal import SafelightImage

/// The textures, buffers and bytes of a command, by index.
public struct Bindings: Sendable {
  /// Textures by index.
  public var textures: [Int: Texture] = [:]
  /// Buffers by index.
  public var buffers: [Int: Buffer] = [:]
  /// Where each buffer begins, by index; 0 where nothing is said.
  public var bufferOffsets: [Int: Int] = [:]
  /// Samplers by the index of their textures.
  public var samplers: [Int: SamplerState] = [:]
  /// Bytes by index.
  public var bytes: [Int: [UInt8]] = [:]

  /// Makes an empty set.
  public init() {}

  /// Binds a buffer from `offset` on, a multiple of 4.
  public mutating func setBuffer(_ buffer: Buffer, offset: Int = 0, index: Int) {
    trap(
      unless: offset >= 0 && offset % 4 == 0 && offset < buffer.length,
      "offset \(offset) of buffer '\(buffer.label)' of \(buffer.length) bytes must be a multiple of 4 inside it")
    buffers[index] = buffer
    bufferOffsets[index] = offset
    // One table for both, as in Metal: the last call counts.
    bytes[index] = nil
  }

  /// Binds a copy of `value`, laid out as the function's `std140` block; at most 16 KiB.
  public mutating func setBytes<Value: BitwiseCopyable>(_ value: Value, index: Int) {
    trap(
      unless: MemoryLayout<Value>.size <= Capabilities.minimum.maximumUniformLength,
      "setBytes(_:index: \(index)) takes 16384 bytes; \(MemoryLayout<Value>.size) were given: use a buffer")
    bytes[index] = unsafe withUnsafeBytes(of: value) { unsafe Array($0) }
    buffers[index] = nil
    bufferOffsets[index] = nil
  }

  /// Traps where an argument of `function` is not bound.
  func check(_ function: ShaderFunction) {
    for argument in function.arguments {
      switch argument {
      case .sampledTexture(let index), .storageTexture(let index), .readWriteTexture(let index):
        trap(
          unless: textures[index] != nil,
          "texture \(index) of '\(function.name)' is not bound; call setTexture(_:index: \(index))")
      case .readBuffer(let index), .storageBuffer(let index):
        trap(
          unless: buffers[index] != nil,
          "buffer \(index) of '\(function.name)' is not bound; call setBuffer(_:index: \(index))"
        )
      case .bytes(let index):
        trap(
          unless: bytes[index] != nil || buffers[index] != nil,
          "bytes \(index) of '\(function.name)' are not bound; call setBytes(_:index: \(index))")
      }
    }
  }
}
