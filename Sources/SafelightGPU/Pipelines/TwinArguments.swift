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
    _ bindings: Bindings, in backend: CPUBackend, grid: Size, depth: Int = 1, variant: ComputeVariant? = nil,
    target: TextureMemory? = nil
  ) {
    self.grid = grid
    self.depth = depth
    self.variant = variant
    colorAttachment = target
    self.bindings = bindings
    textures = bindings.textures.mapValues { backend.memory($0) }
    buffers = Dictionary(
      uniqueKeysWithValues: bindings.buffers.map { ($0, backend.memory($1).from(bindings.bufferOffsets[$0] ?? 0)) })
  }

  /// Returns whether `argument` is bound and, as a stored texture, shares memory with no other texture. Encoders check
  /// this against the arguments of a function, but a capture may state wrong ones.
  package func binds(_ argument: ShaderArgument) -> Bool {
    guard let index = argument.storedTexture, let stored = textures[index] else { return bindings.binds(argument) }
    return textures.allSatisfy { $0.key == index || !stored.sharesMemory(with: $0.value) }
  }

  /// Returns the texture at `index`; traps if the function has no such argument.
  public func texture(_ index: Int) -> TextureMemory { bound(textures[index], "texture \(index) is") }

  /// Returns the sampler at `index`; if none is bound, one that reads the nearest pixel and clamps, as in OpenGL ES.
  public func sampler(_ index: Int) -> SamplerDescriptor {
    bindings.samplers[index]?.descriptor ?? SamplerDescriptor()
  }

  /// The bytes of vertices at `index`; nil if nothing is bound there.
  func vertices(_ index: Int) -> BufferMemory? {
    bindings.bytes[index].map { BufferMemory(copying: $0) } ?? buffers[index]
  }

  /// Returns the buffer at `index`, from its offset on.
  public func buffer(_ index: Int) -> BufferMemory { bound(buffers[index], "buffer \(index) is") }

  private func bound<Argument>(_ argument: Argument?, _ what: @autoclosure () -> String) -> Argument {
    guard let argument else { trap("\(what()) not an argument of this function") }
    return argument
  }

  /// Returns the bytes at `index`, or the buffer bound in their place, as 32-bit words.
  public func words(_ index: Int) -> [UInt32] {
    if let bytes = bindings.bytes[index] {
      return unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: UInt32.self)) }
    }
    return unsafe bound(buffers[index], "bytes \(index) are").withWords { unsafe Array($0) }
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

/// The arguments of the Swift twin of a vertex function, for one corner.
public struct VertexArguments {
  /// The corner's number: Metal's `[[vertex_id]]`, GLSL's `gl_VertexID`.
  public let vertexID: Int
  /// The instance's number: Metal's `[[instance_id]]`, `instanceID` in the function's text.
  public let instanceID: Int
  /// Textures, buffers and bytes of the vertex function.
  public let arguments: TwinArguments

  let fetch: VertexFetch

  /// Returns the attribute at `location`; components that its format lacks are those of (0, 0, 0, 1).
  public func attribute(_ location: Int) -> SIMD4<Float> { fetch.float(location, vertexID, instanceID) }

  /// Returns the attribute at `location` as bits of 32-bit integers; components that its format lacks are those of (0,
  /// 0, 0, 1).
  public func integerAttribute(_ location: Int) -> SIMD4<UInt32> { fetch.integer(location, vertexID, instanceID) }
}

/// The result of the Swift twin of a vertex function, for one corner.
public struct VertexOutput: Sendable {
  /// The position in Metal's clip space; GLSL's `gl_Position`.
  public var position: SIMD4<Float>
  /// Values that are interpolated for the fragment function, in the order in which its twin reads them.
  public var varyings: [SIMD4<Float>]

  /// Makes a corner at `position`.
  public init(position: SIMD4<Float>, varyings: [SIMD4<Float>] = []) {
    self.position = position
    self.varyings = varyings
  }
}

/// The arguments of the Swift twin of a fragment function, for one pixel. One object lives for a draw and changes for
/// each pixel.
public final class FragmentArguments {
  /// Column and row of the pixel's center, depth and 1 / w; GLSL's `gl_FragCoord`.
  public internal(set) var position = SIMD4<Float>()
  /// True if its triangle shows its front; GLSL's `gl_FrontFacing`.
  public internal(set) var isFrontFacing = true
  /// The vertex function's varyings, interpolated.
  public internal(set) var varyings: [SIMD4<Float>] = []
  /// Textures, buffers and bytes of the fragment function.
  public let arguments: TwinArguments

  /// The targets that the function reads, by index.
  private let targets: [Int: ColorTarget]

  init(_ arguments: TwinArguments, fetching targets: [Int: ColorTarget] = [:]) {
    self.arguments = arguments
    self.targets = targets
  }

  /// Returns this pixel of the attachment at `index`, of a normalized or float format: Metal's `[[color(index)]]`,
  /// `inout vec4` in the function's text (`GL_EXT_shader_framebuffer_fetch`). Channels that the format lacks are 0,
  /// alpha is 1.
  public func color(_ index: Int) -> SIMD4<Float> { target(index).color(Int(position.x), Int(position.y)) }

  /// Returns this pixel of the attachment at `index`, of an integer format: `inout uvec4`.
  public func integerColor(_ index: Int) -> SIMD4<UInt32> { target(index).integers(Int(position.x), Int(position.y)) }

  private func target(_ index: Int) -> ColorTarget {
    guard let target = targets[index] else {
      trap("attachment \(index) is not read by this function; declare its color inout in the GLSL")
    }
    return target
  }
}

/// The result of the Swift twin of a fragment function, for one pixel.
public struct FragmentOutput {
  /// True if the pixel stays unchanged; GLSL's `discard`.
  public var isDiscarded = false
  /// The depth from 0 to 1, or nil for the triangle's; GLSL's `gl_FragDepth`.
  public var depth: Float?
  var words = InlineArray<8, SIMD4<UInt32>>(repeating: SIMD4())

  /// Makes a result of zeros.
  public init() {}

  /// Makes a result with a color for attachment 0.
  public init(_ color: SIMD4<Float>) { self[0] = color }

  /// The color for the attachment at `index`, of a normalized or float format: red, green, blue, alpha.
  public subscript(_ index: Int) -> SIMD4<Float> {
    get { unsafe unsafeBitCast(words[index], to: SIMD4<Float>.self) }
    set { words[index] = unsafe unsafeBitCast(newValue, to: SIMD4<UInt32>.self) }
  }

  /// The integers for the attachment at `index`, of an integer format.
  public subscript(integer index: Int) -> SIMD4<UInt32> {
    get { words[index] }
    set { words[index] = newValue }
  }
}
