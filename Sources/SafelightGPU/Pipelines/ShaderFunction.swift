package import SafelightImage
public import SafelightShaders

/// One thing with two bodies: a GLSL function and its Swift twin, which give the same bytes; Metal's `MTLFunction`.
public struct ShaderFunction: Sendable {
  /// The stages a function can be written for; Metal's `MTLFunctionType`.
  public enum FunctionType: String, Sendable {
    /// For dispatches.
    case kernel
    /// For the corners of a draw.
    case vertex
    /// For the pixels of a draw.
    case fragment
  }

  /// The name that messages and debuggers show.
  public let name: String
  /// The GLSL body.
  public let assembly: ShaderAssembly
  /// What the function is bound to, by index.
  public let arguments: [ShaderArgument]
  /// The Swift body; nil for a function that runs on GPUs alone.
  public let twin: ShaderTwin?
  /// The stage it was written for; nil where nobody said, so that its use tells.
  public let functionType: FunctionType?

  private let reflections: ReflectionCache

  /// Joins both bodies. Arguments that are not stated are read from the GLSL; a text that cannot be read has none, and its
  /// pipeline says why.
  public init(
    name: String, assembly: ShaderAssembly, arguments: [ShaderArgument]? = nil, twin: ShaderTwin? = nil,
    functionType: FunctionType? = nil
  ) {
    let reflections = ReflectionCache()
    self.init(
      name: name, assembly: assembly,
      arguments: arguments ?? Self.derived(from: assembly, of: name, functionType, reflections), twin: twin,
      functionType: functionType, reflections: reflections)
  }

  private init(
    name: String, assembly: ShaderAssembly, arguments: [ShaderArgument], twin: ShaderTwin?,
    functionType: FunctionType?, reflections: ReflectionCache
  ) {
    self.name = name
    self.assembly = assembly
    self.arguments = arguments
    self.twin = twin
    self.functionType = functionType
    self.reflections = reflections
  }

  /// The same function with a Swift body, which runs on the CPU's thread.
  public func withTwin(_ body: @escaping @Sendable (TwinArguments) throws -> Void) -> ShaderFunction {
    withTwin(ShaderTwin(body))
  }

  /// The same function with a Swift body of any kind, such as one for corners or pixels.
  public func withTwin(_ twin: ShaderTwin) -> ShaderFunction {
    ShaderFunction(
      name: name, assembly: assembly, arguments: arguments, twin: twin, functionType: functionType,
      reflections: reflections)
  }

  // MARK: Reflection

  /// What the text declares in `variant`; without one, as a vertex or fragment function. Throws where the text cannot be read,
  /// or declares other bindings than ``arguments``.
  package func reflection(_ variant: ComputeVariant?) throws(SafelightError) -> FunctionReflection {
    try reflections.reflection(variant) { () throws(SafelightError) in
      let read = try Self.read(assembly, of: name, variant) ?? FunctionReflection(stated: arguments)
      try read.check(stated: arguments, of: name)
      return read
    }
  }

  /// The attachments whose pixels it reads, of a fragment function; none of a text that cannot be read, whose pipeline says why.
  var fetchedAttachments: Set<Int> {
    do throws(SafelightError) {
      return Set(try reflection(nil).fetchedColors.keys)
    } catch {
      return []
    }
  }

  private static func derived(
    from assembly: ShaderAssembly, of name: String, _ type: FunctionType?, _ reflections: ReflectionCache
  ) -> [ShaderArgument] {
    let variant = type == nil || type == .kernel ? ComputeVariant.standard : nil
    do throws(SafelightError) {
      return try reflections.reflection(variant) { () throws(SafelightError) in
        try read(assembly, of: name, variant) ?? FunctionReflection(stated: [])
      }.arguments.map(\.binding)
    } catch {
      // The cache keeps it for whoever makes a pipeline.
      return []
    }
  }

  /// Nil for a function that has no GLSL.
  private static func read(
    _ assembly: ShaderAssembly, of name: String, _ variant: ComputeVariant?
  ) throws(SafelightError) -> FunctionReflection? {
    guard !assembly.parts.isEmpty else { return nil }
    return try FunctionReflection(assembly.shader(variant?.constants ?? []), function: name)
  }
}

extension ShaderAssembly {
  /// The complete text; an include that cannot be followed is an error of the input.
  package func shader(_ extra: [Constant] = []) throws(SafelightError) -> AssembledShader {
    do throws(ShaderIncludeError) {
      return try assembled(extra)
    } catch {
      throw SafelightError(.input, error.place, why: error.why, remedy: error.remedy)
    }
  }
}

/// One binding of a function; barriers are derived from these.
///
/// The index is the one of `setTexture`, `setBuffer` or `setBytes`, and in GLSL the `binding` of the declaration.
public enum ShaderArgument: Hashable, Sendable {
  /// A texture read with `texelFetch`: `uniform sampler2D` or `usampler2D`.
  case sampledTexture(Int)
  /// A texture written with `imageStore`: `writeonly uniform uimage2D`.
  case storageTexture(Int)
  /// A texture of one 32-bit channel read and written in place, with `imageLoad`, `imageStore` and, where the device has
  /// `OES_shader_image_atomic`, atomics: `uniform uimage2D` of `r32ui` or `image2D` of `r32f`; Metal's `access::read_write`.
  case readWriteTexture(Int)
  /// A buffer that is only read: `readonly buffer`.
  case readBuffer(Int)
  /// A buffer that is read and written: `buffer`.
  case storageBuffer(Int)
  /// A block of bytes: `layout(std140) uniform`.
  case bytes(Int)
}

/// The Swift body of a function.
public struct ShaderTwin: Sendable {
  enum Body: Sendable {
    /// Runs once for a whole grid or target.
    case grid(@Sendable (TwinArguments) throws -> Void)
    /// Runs for each corner; varyings in the set are those of a triangle's last corner, `flat` in GLSL.
    case vertex(@Sendable (VertexArguments) throws -> VertexOutput, flat: Set<Int>)
    /// Runs for each pixel.
    case fragment(@Sendable (FragmentArguments) throws -> FragmentOutput)
  }

  let body: Body

  /// Wraps the body of a compute function, or of a fragment function that is only drawn on the whole full-screen strip: it runs
  /// once for a whole grid or target, on the CPU's thread.
  public init(_ body: @escaping @Sendable (TwinArguments) throws -> Void) { self.body = .grid(body) }

  /// Wraps the body of a vertex function, called for each corner. Varyings in `flat` are not interpolated: a triangle has those
  /// of its last corner, as in OpenGL ES, where Metal takes the first.
  public init(vertex body: @escaping @Sendable (VertexArguments) throws -> VertexOutput, flat: Set<Int> = []) {
    self.body = .vertex(body, flat: flat)
  }

  /// Wraps the body of a fragment function, called for each pixel.
  public init(fragment body: @escaping @Sendable (FragmentArguments) throws -> FragmentOutput) {
    self.body = .fragment(body)
  }

  /// Runs it as a part of another twin; for bodies that run once for a whole grid or target.
  package func run(_ arguments: TwinArguments) throws {
    guard case .grid(let body) = body else {
      trap("the twin of a corner or a pixel cannot run for a whole grid; draw with it")
    }
    try body(arguments)
  }
}
