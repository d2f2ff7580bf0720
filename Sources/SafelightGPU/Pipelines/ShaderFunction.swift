package import SafelightImage
public import SafelightShaders

/// A shader function with two bodies, GLSL and its Swift twin, which give the same bytes; Metal's `MTLFunction`.
public struct ShaderFunction: Sendable {
  /// The stage of a function; Metal's `MTLFunctionType`.
  public enum FunctionType: String, Sendable {
    /// Runs for each thread of a dispatch.
    case kernel
    /// Runs for each corner of a draw.
    case vertex
    /// Runs for each pixel of a draw.
    case fragment
  }

  /// A name for messages and debuggers.
  public let name: String
  /// The GLSL body.
  public let assembly: ShaderAssembly
  /// The bindings of the function.
  public let arguments: [ShaderArgument]
  /// The Swift body; nil for a function that runs only on GPUs.
  public private(set) var twin: ShaderTwin?
  /// The stage it was written for; nil if it is not stated, which allows any use.
  public let functionType: FunctionType?

  private let reflections: ReflectionCache

  /// Makes a function of both bodies. If `arguments` is nil they are read from the GLSL; a text that cannot be read has
  /// none, and making its pipeline throws the reason.
  public init(
    name: String, assembly: ShaderAssembly, arguments: [ShaderArgument]? = nil, twin: ShaderTwin? = nil,
    functionType: FunctionType? = nil
  ) {
    self.name = name
    self.assembly = assembly
    self.twin = twin
    self.functionType = functionType
    reflections = ReflectionCache()
    self.arguments = arguments ?? Self.derived(from: assembly, of: name, functionType, reflections)
  }

  /// Returns the function with a Swift body, which runs on the CPU device's thread.
  public func withTwin(_ body: @escaping @Sendable (TwinArguments) throws -> Void) -> ShaderFunction {
    withTwin(ShaderTwin(body))
  }

  /// Returns the function with a Swift body of any kind, such as one for corners or pixels.
  public func withTwin(_ twin: ShaderTwin) -> ShaderFunction {
    var function = self
    function.twin = twin
    return function
  }

  // MARK: Reflection

  /// Returns the declarations of the text in `variant`, which is nil for vertex and fragment functions. Throws if the
  /// text cannot be read, or declares other bindings than ``arguments``.
  package func reflection(_ variant: ComputeVariant?) throws(SafelightError) -> FunctionReflection {
    try reflections.reflection(variant) { () throws(SafelightError) in
      let read = try Self.read(assembly, of: name, variant) ?? FunctionReflection(stated: arguments)
      do throws(SafelightError) {
        try read.check(stated: arguments, of: name)
      } catch {
        // A text with a mistake may declare nothing.
        try checkOutline(variant)
        throw error
      }
      return read
    }
  }

  /// Throws if its GLSL has a mistake that shows without a compiler: all that a device without OpenGL ES can find.
  func checkOutline(_ variant: ComputeVariant?) throws(SafelightError) {
    guard !assembly.parts.isEmpty else { return }
    let shader = try assembly.shader(variant?.constants ?? [])
    guard let fault = try GLSLPreprocessor(shader, function: name).outline.fault else { return }
    let place = shader.origin(ofLine: fault.line).map { "\($0): " } ?? ""
    throw SafelightError(
      .usage, "function '\(name)' does not compile", why: place + fault.why, remedy: fault.remedy)
  }

  /// The attachments that a fragment function reads (`GL_EXT_shader_framebuffer_fetch`); empty for a text that cannot
  /// be read, which its pipeline reports.
  var fetchedAttachments: Set<Int> { (try? reflection(nil)).map { Set($0.fetchedColors.keys) } ?? [] }

  private static func derived(
    from assembly: ShaderAssembly, of name: String, _ type: FunctionType?, _ reflections: ReflectionCache
  ) -> [ShaderArgument] {
    let variant = type == nil || type == .kernel ? ComputeVariant.standard : nil
    // The cache keeps an error for the pipeline.
    let reflection = try? reflections.reflection(variant) { () throws(SafelightError) in
      try read(assembly, of: name, variant) ?? FunctionReflection(stated: [])
    }
    return reflection?.arguments.map(\.binding) ?? []
  }

  /// Reads the text; nil for a function without GLSL.
  private static func read(
    _ assembly: ShaderAssembly, of name: String, _ variant: ComputeVariant?
  ) throws(SafelightError) -> FunctionReflection? {
    guard !assembly.parts.isEmpty else { return nil }
    return try FunctionReflection(assembly.shader(variant?.constants ?? []), function: name)
  }
}

extension ShaderAssembly {
  /// Returns the complete text; throws an error of kind `input` if an include is not found.
  package func shader(_ extra: [Constant] = []) throws(SafelightError) -> AssembledShader {
    do throws(ShaderIncludeError) {
      return try assembled(extra)
    } catch {
      throw SafelightError(.input, error.place, why: error.why, remedy: error.remedy)
    }
  }
}

/// A binding of a function; barriers are derived from these.
///
/// The index is that of `setTexture`, `setBuffer` or `setBytes`, and the `binding` of the GLSL declaration.
public enum ShaderArgument: Hashable, Sendable {
  /// A texture read with `texelFetch`: `uniform sampler2D` or `usampler2D`.
  case sampledTexture(Int)
  /// A texture whose first level is read with `imageLoad`, in a format with ``PixelFormat/isStorable``, normalized
  /// samples as integers: `readonly uniform uimage2D`. Vertex functions load none, and fragment functions as many as
  /// ``RenderLimits/fragmentStorageTextures``.
  ///
  /// Its index is the unit of an image (`GL_MAX_IMAGE_UNITS`), of which every device has 0 to 3.
  case loadedTexture(Int)
  /// A texture written with `imageStore`: `writeonly uniform uimage2D`.
  case storageTexture(Int)
  /// A texture of one 32-bit channel read and written in place, with `imageLoad`, `imageStore` and, on devices with
  /// `OES_shader_image_atomic`, atomics: `uniform uimage2D` of `r32ui` or `image2D` of `r32f`; Metal's
  /// `access::read_write`.
  case readWriteTexture(Int)
  /// A read-only buffer: `readonly buffer`.
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
    /// Runs for each corner. Varyings in `flat` are not interpolated; a triangle has those of its last corner.
    case vertex(@Sendable (VertexArguments) throws -> VertexOutput, flat: Set<Int>)
    /// Runs for each pixel.
    case fragment(@Sendable (FragmentArguments) throws -> FragmentOutput)
  }

  let body: Body

  /// Wraps a body that runs once for a whole grid or target, on the CPU device's thread: that of a compute function, or
  /// of a fragment function that is only drawn on the full-screen strip.
  public init(_ body: @escaping @Sendable (TwinArguments) throws -> Void) { self.body = .grid(body) }

  /// Wraps the body of a vertex function, called for each corner. Varyings in `flat` are not interpolated: a triangle
  /// has those of its last corner, as in OpenGL ES. Metal takes the first.
  public init(vertex body: @escaping @Sendable (VertexArguments) throws -> VertexOutput, flat: Set<Int> = []) {
    self.body = .vertex(body, flat: flat)
  }

  /// Wraps the body of a fragment function, called for each pixel.
  public init(fragment body: @escaping @Sendable (FragmentArguments) throws -> FragmentOutput) {
    self.body = .fragment(body)
  }

  /// Runs the body as a part of another twin; traps unless it runs for a whole grid or target.
  package func run(_ arguments: TwinArguments) throws {
    guard case .grid(let body) = body else {
      trap("the twin of a vertex or fragment function cannot run for a whole grid; draw with it")
    }
    try body(arguments)
  }
}
