internal import SafelightGPU
package import SafelightImage
internal import SafelightShaders

/// The functions of a point kernel for one format: one GLSL body in two forms, and one twin.
struct PointFunction: Sendable {
  /// Paints `destination` from `source`; `arguments` holds the other bindings of the body.
  typealias Twin = @Sendable (_ arguments: TwinArguments, _ source: TextureMemory, _ destination: TextureMemory) -> Void

  private let compute: ComputePipelineState
  private let render: RenderPipelineState

  /// Joins the parts of a body, which defines `pointKernel`, with both wrappers. The twin gets bands of rows, several
  /// at once, unless it must see whole textures; without a twin the function runs on OpenGL ES alone.
  init(
    name: String, body: [ShaderText], format: PixelFormat, constants: [ShaderAssembly.Constant] = [],
    arguments: [ShaderArgument] = [], worksInBands: Bool = true, twin: Twin?
  ) {
    let twin = worksInBands ? twin.map { Self.banded($0) } : twin
    trap(
      unless: PixelFormat.pointFormats.contains(format),
      "\(name) takes integers of 8 and 16 bits, not \(format.rawValue); copy the picture to rgba16Uint first")
    let constants = constants + format.sampleConstants
    func assembly(_ wrapper: ShaderSource) -> ShaderAssembly {
      ShaderAssembly([ShaderText(.pixels)] + body + [ShaderText(wrapper)], constants: constants)
    }
    compute = ComputePipelineState(
      ShaderFunction(
        name: name, assembly: assembly(.pointCompute),
        arguments: [.sampledTexture(0), .storageTexture(1)] + arguments,
        twin: twin.map { twin in ShaderTwin { twin($0, $0.texture(0), $0.texture(1)) } }))
    render = RenderPipelineState(
      fullScreen: ShaderFunction(
        name: name, assembly: assembly(.pointFragment), arguments: [.sampledTexture(0)] + arguments,
        twin: twin.map { twin in
          ShaderTwin { arguments in
            guard let target = arguments.colorAttachment else { return }
            twin(arguments, arguments.texture(0), target)
          }
        }))
  }

  /// Compiles `form` at once; throws the compiler's error.
  func compile(on device: Device, form: KernelForm) throws(SafelightError) {
    switch form {
    case .compute: _ = try device.makeComputePipelineState(compute.function, threadsPerThreadgroup: Size(8, 8))
    case .automatic, .render: _ = try device.makeRenderPipelineState(fullScreen: render.fragment)
    }
  }

  /// Returns a twin for whole textures that calls `twin` for bands of rows.
  static func banded(_ twin: @escaping Twin) -> Twin {
    { arguments, source, destination in
      TextureMemory.withRows(of: source, destination) { cut in
        RowBands(source.size).concurrently { _, rows in
          let (source, destination) = cut(rows)
          twin(arguments, source, destination)
        }
      }
    }
  }

  /// Records the kernel; `bindings` holds the body's bindings besides the source.
  func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture, bindings: Bindings = Bindings(), form: KernelForm,
    label: String
  ) {
    trap(
      unless: source.size == destination.size && source.pixelFormat == destination.pixelFormat,
      """
      \(label) from '\(source.label)' (\(source.size) \(source.pixelFormat.rawValue)) to '\(destination.label)' \
      (\(destination.size) \(destination.pixelFormat.rawValue)): both need the same size and format
      """)
    var bindings = bindings
    bindings.textures[0] = source
    switch form {
    case .compute:
      bindings.textures[1] = destination
      buffer.compute(label) { encoder in
        encoder.bindings = bindings
        encoder.setComputePipelineState(compute)
        // 64 threads are legal on every device and a multiple of every lane count in use.
        encoder.dispatchThreads(destination.size, threadsPerThreadgroup: Size(8, 8))
      }
    case .automatic, .render:
      buffer.fullScreen(label, to: destination) { encoder in
        encoder.bindings = bindings
        encoder.setRenderPipelineState(render)
      }
    }
  }
}

/// A point function that reads tables, in one variant, which its properties describe.
protocol PointVariant: Hashable, Sendable {
  static var name: String { get }
  static var source: ShaderSource { get }
  /// False if the twin must see whole textures.
  static var worksInBands: Bool { get }
  static var functions: PipelineLibrary<Self, PointFunction> { get }
  var format: PixelFormat { get }
  var constants: [ShaderAssembly.Constant] { get }
  /// The bindings besides the pictures.
  var arguments: [ShaderArgument] { get }

  /// Recognizes a captured call on pictures of `format`, as ``KernelFunction/captured(_:)`` does.
  static func captured(_ call: CapturedCall, _ format: PixelFormat) -> Self?

  func paint(_ arguments: TwinArguments, _ source: TextureMemory, _ destination: TextureMemory)
}

extension PointVariant {
  static var worksInBands: Bool { true }

  static func makeFunctions() -> PipelineLibrary<Self, PointFunction> {
    PipelineLibrary { variant in
      PointFunction(
        name: name, body: [ShaderText(source)], format: variant.format, constants: variant.constants,
        arguments: variant.arguments, worksInBands: worksInBands
      ) { variant.paint($0, $1, $2) }
    }
  }
}

extension PixelFormat {
  /// The formats that point kernels take: samples of 8 and 16 bits, normalized or not, which are integers to them.
  package static let pointFormats = colors.filter { $0.bytesPerSample <= 2 && $0.sampleKind != .float }

  /// The constants by which `pixels.glsl` reads samples.
  var sampleConstants: [ShaderAssembly.Constant] {
    [.init("SAMPLE_BITS", bytesPerSample * 8)]
      + (sampleKind == .normalized && bytesPerSample == 2 ? [.init("IS_NORMALIZED", true)] : [])
  }
}
