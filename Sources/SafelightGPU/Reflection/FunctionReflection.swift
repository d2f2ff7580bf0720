internal import SafelightGLES
internal import SafelightImage
internal import SafelightShaders
internal import Synchronization

/// The bindings of a function by name and type, read from its GLSL; Metal's `MTLComputePipelineReflection`.
///
/// Safelight reads the text itself, so that the result is the same on every device, including the CPU. On a GPU it is
/// compared once with the driver's information about each program (`glGetProgramResourceiv`).
public struct FunctionReflection: Hashable, Sendable {
  /// A binding.
  public struct Argument: Hashable, Sendable {
    /// The name of the variable or block in GLSL.
    public let name: String
    /// Its kind and index.
    public let binding: ShaderArgument
    /// The type of a texture, such as `usampler2D`; `buffer` or `uniform` for blocks.
    public let type: String
    /// The bytes that a block needs, with one element of an array without a size; nil for textures, and for blocks
    /// whose layout the driver chooses.
    public let dataSize: Int?
    /// The format of a texture that is loaded or stored, such as `rgba8ui`; nil for other bindings.
    public let storageFormat: String?

    /// The index in `setTexture`, `setBuffer` or `setBytes`.
    public var index: Int { binding.index }
  }

  /// All bindings: textures, buffers and bytes, each by index.
  public let arguments: [Argument]
  /// The bytes of threadgroup memory that the function itself declares; nil if unknown.
  public let threadgroupMemoryLength: Int?
  /// The indices of `setThreadgroupMemoryLength` without which the function does not compile.
  let missingThreadgroupMemory: Set<Int>

  /// The `#extension` lines of the text.
  let extensions: [GLSLExtension]
  /// The types of the outputs that the function also reads, by attachment index.
  let fetchedColors: [Int: String]
  /// The inputs of the text.
  let inputs: [GLSLDeclarations.Global]

  init(
    arguments: [Argument], threadgroupMemoryLength: Int?, missingThreadgroupMemory: Set<Int> = [],
    extensions: [GLSLExtension] = [], fetchedColors: [Int: String] = [:], inputs: [GLSLDeclarations.Global] = []
  ) {
    self.arguments = arguments.sorted { ($0.binding.rank, $0.index, $0.name) < ($1.binding.rank, $1.index, $1.name) }
    self.threadgroupMemoryLength = threadgroupMemoryLength
    self.missingThreadgroupMemory = missingThreadgroupMemory
    self.extensions = extensions
    self.fetchedColors = fetchedColors
    self.inputs = inputs
  }

  /// Describes a function without GLSL by its stated arguments.
  init(stated: [ShaderArgument]) {
    self.init(
      arguments: stated.map {
        Argument(name: "\($0.noun) \($0.index)", binding: $0, type: "", dataSize: nil, storageFormat: nil)
      }, threadgroupMemoryLength: nil)
  }

  /// Reads a complete text.
  init(_ shader: AssembledShader, function: String) throws(SafelightError) {
    let preprocessor = try GLSLPreprocessor(shader, function: function)
    let declarations = GLSLDeclarations(preprocessor.tokens)
    // Twins run before the tests of depth and stencil.
    try ensure(
      !declarations.inputLayout.contains("early_fragment_tests"), .unsupported, "'\(function)'",
      why:
        "layout(early_fragment_tests) tests depths and stencils before the function runs, which a Swift twin cannot do",
      remedy: "leave it out: drivers test early by themselves if that makes no difference")
    var arguments: [Argument] = []
    for block in declarations.blocks {
      arguments += try Self.arguments(of: block, declarations.structures, function)
    }
    // Safelight sets numbers of its own itself.
    for uniform in declarations.uniforms where !uniform.isNumberOfSafelight {
      arguments += try Self.arguments(of: uniform, function)
    }
    self.init(
      arguments: arguments,
      threadgroupMemoryLength: GLSLLayout.tight.size(of: declarations.sharedVariables, declarations.structures),
      missingThreadgroupMemory: preprocessor.missingThreadgroupMemory, extensions: preprocessor.extensions,
      fetchedColors: try Self.fetchedColors(declarations, function), inputs: declarations.inputs)
  }

  /// Returns the bindings of both stages of a program.
  package func joined(with other: FunctionReflection) -> FunctionReflection {
    FunctionReflection(arguments: Array(Set(arguments + other.arguments)), threadgroupMemoryLength: nil)
  }

  private static func arguments(
    of block: GLSLDeclarations.Block, _ structures: [String: [GLSLVariable]], _ function: String
  ) throws(SafelightError) -> [Argument] {
    guard block.qualifiers.storage == "uniform" || block.qualifiers.storage == "buffer" else { return [] }
    let binding = try index(block.qualifiers, block.name, function)
    let size = block.qualifiers.memory?.size(of: block.members, structures)
    return (0..<(block.count ?? 1)).map { element in
      let index = binding + element
      let argument: ShaderArgument =
        block.qualifiers.storage == "uniform"
        ? .bytes(index) : block.qualifiers.isReadOnly ? .readBuffer(index) : .storageBuffer(index)
      return Argument(
        name: block.count == nil ? block.name : "\(block.name)[\(element)]", binding: argument,
        type: block.qualifiers.storage, dataSize: size, storageFormat: nil)
    }
  }

  private static func arguments(
    of uniform: GLSLDeclarations.Global, _ function: String
  ) throws(SafelightError) -> [Argument] {
    let variable = uniform.variable
    let isSampled = variable.type.contains("sampler")
    try ensure(
      isSampled || variable.type.contains("image"), .unsupported, "'\(variable.name)' of '\(function)'",
      why: "a uniform of type \(variable.type) outside a block cannot be set",
      remedy: "put it into a block, layout(std140, binding = n) uniform Name { … }, and call setBytes")
    let binding = try index(uniform.qualifiers, variable.name, function)
    let format = uniform.qualifiers.layout.keys.sorted().first { $0.hasPrefix("r") && $0.contains { $0.isNumber } }
    let isLoaded = !isSampled && uniform.qualifiers.isReadOnly
    let isInPlace = !isSampled && !isLoaded && !uniform.qualifiers.isWriteOnly
    // ES 3.1 §4.9 of the shading language: images of other formats are read only or written only.
    try ensure(
      !isInPlace || ["r32f", "r32i", "r32ui"].contains(format), .unsupported, "'\(variable.name)' of '\(function)'",
      why: "an image of \(format ?? "no format") cannot be read and written in place; r32f, r32i and r32ui can",
      remedy: "declare it readonly or writeonly")
    func argument(_ index: Int) -> ShaderArgument {
      if isSampled { return .sampledTexture(index) }
      if isLoaded { return .loadedTexture(index) }
      return isInPlace ? .readWriteTexture(index) : .storageTexture(index)
    }
    return (0..<(variable.count ?? 1)).map { element in
      let index = binding + element
      return Argument(
        name: variable.isArray ? "\(variable.name)[\(element)]" : variable.name,
        binding: argument(index),
        type: variable.type, dataSize: nil, storageFormat: isSampled ? nil : format)
    }
  }

  private static func fetchedColors(
    _ declarations: GLSLDeclarations, _ function: String
  ) throws(SafelightError) -> [Int: String] {
    var colors: [Int: String] = [:]
    for output in declarations.fetchedOutputs {
      try ensure(
        !output.qualifiers.layout.keys.contains("noncoherent"), .unsupported,
        "'\(output.variable.name)' of '\(function)'",
        why: "a noncoherent inout needs a barrier between overlapping triangles, and no command records one",
        remedy: "leave noncoherent out, and require \(GLSLExtension.framebufferFetch)")
      let first = output.qualifiers.location
      for index in first..<first + max(1, output.variable.count ?? 1) { colors[index] = output.variable.type }
    }
    return colors
  }

  private static func index(
    _ qualifiers: GLSLQualifiers, _ name: String, _ function: String
  ) throws(SafelightError) -> Int {
    guard let binding = qualifiers.binding, binding >= 0 else {
      throw SafelightError(
        .usage, "'\(name)' of '\(function)'", why: "its binding is not a known number",
        remedy: "write layout(binding = n) with a number or a constant")
    }
    return binding
  }
}

extension ShaderArgument {
  /// The index in `setTexture`, `setBuffer` or `setBytes`.
  public var index: Int {
    switch self {
    case .sampledTexture(let index), .loadedTexture(let index), .storageTexture(let index),
      .readWriteTexture(let index), .readBuffer(let index), .storageBuffer(let index), .bytes(let index):
      index
    }
  }

  /// The index of a texture that the function only reads; nil for other bindings.
  var readTexture: Int? {
    switch self {
    case .sampledTexture(let index), .loadedTexture(let index): index
    case .storageTexture, .readWriteTexture, .readBuffer, .storageBuffer, .bytes: nil
    }
  }

  /// The index of a texture that the function stores to; nil for other bindings.
  var storedTexture: Int? {
    switch self {
    case .storageTexture(let index), .readWriteTexture(let index): index
    case .sampledTexture, .loadedTexture, .readBuffer, .storageBuffer, .bytes: nil
    }
  }

  /// The index of a texture that OpenGL ES binds as an image, to load or to store; nil for other bindings.
  var imageTexture: Int? { if case .loadedTexture(let index) = self { index } else { storedTexture } }

  /// The word for it in messages.
  var noun: String {
    switch self {
    case .sampledTexture, .loadedTexture, .storageTexture, .readWriteTexture: "texture"
    case .readBuffer, .storageBuffer: "buffer"
    case .bytes: "bytes"
    }
  }

  /// The rank of its kind in lists; each rank has its own table of indices.
  var rank: Int {
    switch self {
    case .sampledTexture: 0
    case .loadedTexture, .storageTexture, .readWriteTexture: 1
    case .readBuffer, .storageBuffer: 2
    case .bytes: 3
    }
  }
}

/// Reflections of a function, one for each variant; shared by all copies of the function.
final class ReflectionCache: Sendable {
  private let known = Mutex<[ComputeVariant?: Result<FunctionReflection, SafelightError>]>([:])

  /// Returns the reflection of `variant`; calls `read` the first time.
  func reflection(
    _ variant: ComputeVariant?, _ read: () throws(SafelightError) -> FunctionReflection
  ) throws(SafelightError) -> FunctionReflection {
    if let known = known.withLock({ $0[variant] }) { return try known.get() }
    let result = Result(catching: read)
    known.withLock { $0[variant] = result }
    return try result.get()
  }
}

extension GLSLDeclarations.Global {
  fileprivate var isNumberOfSafelight: Bool {
    variable.name.hasPrefix("safelight_") && !variable.type.contains("sampler") && !variable.type.contains("image")
  }
}

/// A line `#extension name : behavior` of a text.
struct GLSLExtension: Hashable {
  let name: String
  /// `require`, `enable`, `warn` or `disable`.
  let behavior: String
  /// File and line in the author's source.
  let place: String

  static let framebufferFetch = "GL_EXT_shader_framebuffer_fetch"
}

extension FunctionReflection {
  /// Throws if a device with `capabilities` lacks an extension that the function requires; called by both backends. The
  /// CPU's twins need no extensions, so the CPU lacks only those that the limits it was opened with lack.
  func checkExtensions(_ capabilities: Capabilities, of function: String) throws(SafelightError) {
    for line in extensions where line.behavior == "require" && !capabilities.hasShaderExtension(line.name) {
      throw Self.lack(of: line.name, at: line.place, function)
    }
    guard let fetched = fetchedColors.min(by: { $0.key < $1.key }) else { return }
    guard let line = extensions.first(where: { $0.name == GLSLExtension.framebufferFetch }) else {
      throw SafelightError(
        .usage, "'\(function)'",
        why: "its inout \(fetched.value) reads a pixel of the target, which needs an extension",
        remedy: "add #extension \(GLSLExtension.framebufferFetch) : require")
    }
    guard capabilities.hasShaderExtension(line.name) else { throw Self.lack(of: line.name, at: line.place, function) }
  }

  private static func lack(of name: String, at place: String, _ function: String) -> SafelightError {
    SafelightError(
      .unsupported, "'\(function)'", why: "\(place) demands \(name), which this device lacks", remedy: remedy(name))
  }

  private static func remedy(_ name: String) -> String {
    switch DeviceFeatures(shaderExtension: name) {
    case .storageOfAllFormats: "store to a format of PixelFormat.isStorable, or write it in a render pass"
    case .groupVote, .subgroups: "pass values between threads in threadgroup memory, which works everywhere"
    case .framebufferFetch: "draw a second pass that samples the first's result"
    default: "do without it, or open a device that has it"
    }
  }
}
