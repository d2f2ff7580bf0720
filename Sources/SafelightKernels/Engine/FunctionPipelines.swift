package import SafelightGPU
package import SafelightImage
internal import SafelightShaders

/// A function in two pipelines: one GLSL body, as a compute function and on the full-screen strip, and one twin.
/// Without a fragment wrapper it is a compute function in both.
struct FunctionPipelines: Sendable {
  private let compute: ComputePipelineState
  private let render: RenderPipelineState?

  /// Joins a body with both wrappers; without a twin the function runs on OpenGL ES alone.
  init(
    name: String, body: [ShaderText], constants: [ShaderAssembly.Constant], inputs: [ShaderArgument],
    output: ShaderArgument, arguments: [ShaderArgument], twin: ShaderTwin?,
    wrappers: (compute: ShaderSource, fragment: ShaderSource?)
  ) {
    func function(_ wrapper: ShaderSource, _ stored: [ShaderArgument] = []) -> ShaderFunction {
      ShaderFunction(
        name: name,
        assembly: ShaderAssembly([ShaderText(.pixels)] + body + [ShaderText(wrapper)], constants: constants),
        arguments: inputs + stored + arguments, twin: twin)
    }
    compute = ComputePipelineState(function(wrappers.compute, [output]))
    render = wrappers.fragment.map { RenderPipelineState(fullScreen: function($0)) }
  }

  /// The functions of both pipelines.
  var functions: [ShaderFunction] { [compute.function] + [render?.fragment].compactMap { $0 } }

  /// Compiles `pipeline` at once; throws the compiler's error.
  func compile(on device: Device, pipeline: PipelineKind) throws(SafelightError) {
    if pipeline != .compute, let render {
      _ = try device.makeRenderPipelineState(fullScreen: render.fragment)
    } else {
      _ = try device.makeComputePipelineState(compute.function, threadsPerThreadgroup: Size(8, 8))
    }
  }

  /// The threads of a dispatch, or its threadgroups of so many threads in a row.
  enum Grid {
    case threads(Size)
    case threadgroups(Size, of: Int)

    /// All threads.
    var threads: Size {
      switch self {
      case .threads(let size): size
      case .threadgroups(let count, let width): Size(count.width * width, count.height)
      }
    }
  }

  /// Records the function; `bindings` holds its bindings besides the destination, nil if it is among them. A draw
  /// visits all of the destination.
  func encode(
    to buffer: CommandBuffer, destination: Texture?, bindings: Bindings, pipeline: PipelineKind, label: String,
    grid: Grid, loadAction: RenderPassDescriptor.LoadAction, origin: String?
  ) {
    var bindings = bindings
    if pipeline != .compute, let render, let destination {
      buffer.fullScreen(label, to: destination, loadAction: loadAction) { encoder in
        encoder.origin = origin
        encoder.bindings = bindings
        encoder.setRenderPipelineState(render)
      }
    } else {
      if let destination { bindings.textures[1] = destination }
      buffer.compute(label) { encoder in
        encoder.origin = origin
        encoder.bindings = bindings
        encoder.replacesTextures = loadAction == .dontCare
        encoder.setComputePipelineState(compute)
        switch grid {
        // 64 threads are legal on every device and a multiple of every lane count in use.
        case .threads(let size): encoder.dispatchThreads(size, threadsPerThreadgroup: Size(8, 8))
        case .threadgroups(let count, let width):
          encoder.dispatchThreadgroups(count, threadsPerThreadgroup: Size(width, 1))
        }
      }
    }
  }
}

let functionPipelines = Memo<FunctionPipelines>()

extension CommandBuffer {
  package func blit<Result>(_ label: String, _ record: (BlitCommandEncoder) -> Result) -> Result {
    let encoder = makeBlitCommandEncoder(label: label)
    defer { encoder.endEncoding() }
    return record(encoder)
  }

  func compute(_ label: String, _ record: (ComputeCommandEncoder) -> Void) {
    let encoder = makeComputeCommandEncoder(label: label)
    record(encoder)
    encoder.endEncoding()
  }

  /// Records a draw of the full-screen strip over all of `target`.
  func fullScreen(
    _ label: String, to target: Texture, loadAction: RenderPassDescriptor.LoadAction = .dontCare,
    _ bind: (RenderCommandEncoder) -> Void
  ) {
    let pass = RenderPassDescriptor(texture: target, loadAction: loadAction)
    let encoder = makeRenderCommandEncoder(pass, label: label)
    bind(encoder)
    encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
    encoder.endEncoding()
  }
}

extension PixelFormat {
  /// The formats that point kernels take: samples of 8 and 16 bits, normalized or not, which are integers to them.
  package static let pointFormats = colors.filter { $0.bytesPerSample <= 2 && $0.sampleKind != .float }
  /// The point formats of pictures, which never have two channels.
  package static let pictureFormats = pointFormats.filter { $0.samplesPerPixel != 2 }

  /// The depth of samples of 8 or 16 bits.
  package var depth: SampleDepth { bytesPerSample == 1 ? .bits8 : .bits16 }
}
