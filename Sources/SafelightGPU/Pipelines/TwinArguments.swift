public import SafelightGLES
public import SafelightImage

/// The arguments of a Swift twin: the bindings of its command, as memory.
///
/// Valid for one call, on the CPU device's thread.
public final class TwinArguments {
  /// The threads of the grid, or the size of the render target.
  public let grid: Size
  /// The layers of the grid; 1 in a draw.
  public let depth: Int
  /// The size of a threadgroup and its memory; nil in a draw.
  public let variant: ComputeVariant?
  /// The render target of a draw.
  public let colorAttachment: TextureMemory?

  private let bindings: Bindings
  private let textures: [Int: TextureMemory]
  private let buffers: [Int: BufferMemory]

  init(
    _ bindings: Bindings, in memory: ResourceMemory, grid: Size, depth: Int = 1, variant: ComputeVariant? = nil,
    target: TextureMemory? = nil
  ) {
    self.grid = grid
    self.depth = depth
    self.variant = variant
    colorAttachment = target
    self.bindings = bindings
    textures = bindings.textures.mapValues { memory($0) }
    buffers = Dictionary(
      uniqueKeysWithValues: bindings.buffers.map { ($0, memory($1).from(bindings.bufferOffsets[$0] ?? 0)) })
  }

  /// Returns whether `argument` is bound and, as a stored texture, shares memory with no other texture. Encoders check
  /// this against the arguments of a function, but a capture may state wrong ones.
  package func binds(_ argument: ShaderArgument) -> Bool {
    switch argument {
    case .sampledTexture(let index): return textures[index] != nil
    case .storageTexture(let index), .readWriteTexture(let index):
      guard let stored = textures[index] else { return false }
      return textures.allSatisfy { $0.key == index || !stored.sharesMemory(with: $0.value) }
    case .readBuffer(let index), .storageBuffer(let index): return buffers[index] != nil
    case .bytes(let index): return bindings.bytes[index] != nil || buffers[index] != nil
    }
  }

  /// Returns the texture at `index`; traps if the function has no such argument.
  public func texture(_ index: Int) -> TextureMemory {
    guard let texture = textures[index] else { trap("texture \(index) is not an argument of this function") }
    return texture
  }

  /// Returns the sampler at `index`; if none is bound, one that reads the nearest pixel and clamps, as in OpenGL ES.
  public func sampler(_ index: Int) -> SamplerDescriptor {
    bindings.samplers[index]?.descriptor ?? SamplerDescriptor()
  }

  /// Returns the buffer at `index`, from its offset on.
  public func buffer(_ index: Int) -> BufferMemory {
    guard let buffer = buffers[index] else { trap("buffer \(index) is not an argument of this function") }
    return buffer
  }

  /// Returns the bytes at `index`, or the buffer bound in their place, as 32-bit words.
  public func words(_ index: Int) -> [UInt32] {
    if let bytes = bindings.bytes[index] {
      return unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: UInt32.self)) }
    }
    guard let buffer = buffers[index] else { trap("bytes \(index) are not an argument of this function") }
    return unsafe buffer.withWords { unsafe Array($0) }
  }

  /// Returns the bytes at `index`, or the buffer bound in their place, as a value with the layout of the `std140`
  /// block.
  public func value<Value: BitwiseCopyable>(_ type: Value.Type, _ index: Int) -> Value {
    let words = words(index)
    trap(
      unless: words.count * 4 >= MemoryLayout<Value>.size,
      "bytes \(index) hold \(words.count * 4) bytes; \(Value.self) needs \(MemoryLayout<Value>.size)")
    return unsafe words.withUnsafeBytes { unsafe $0.loadUnaligned(as: type) }
  }
}
