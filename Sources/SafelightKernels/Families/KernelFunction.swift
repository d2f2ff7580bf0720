package import SafelightGPU
internal import SafelightImage
internal import SafelightShaders
internal import Synchronization

/// Values that are made at first use and kept. Those that functions share serve all devices: backends tell pipelines
/// apart by identity.
package final class Memo<Value: Sendable>: Sendable {
  private let values = Mutex<[AnyHashable: Value]>([:])

  package init() {}

  /// Returns the value of `key`, made at the first call.
  package func value(_ key: some Hashable & Sendable, make: () -> Value) -> Value {
    values.withLock { values in
      if let known = values[key] { return known }
      let made = make()
      values[key] = made
      return made
    }
  }
}

/// A function of this package in one variant, which its properties describe: its GLSL, its Swift twin, and how to
/// recognize it in a capture.
protocol KernelFunction: Hashable, Sendable {
  /// The texts that define the function; several if the variants have different ones.
  static var shaders: [ShaderSource] { get }
  /// The names in captures: by default those of the files.
  static var names: [String] { get }
  var name: String { get }
  /// By default ``sources``, with ``constants``.
  var assembly: ShaderAssembly { get }
  var sources: [ShaderSource] { get }
  var constants: [ShaderAssembly.Constant] { get }
  /// The bindings; of a function with ``FunctionForms``, those besides the pictures.
  var arguments: [ShaderArgument] { get }

  /// Recognizes a captured call; nil if the function has no such macros or cannot run on what is bound.
  ///
  /// Must check everything that ``run(_:)`` relies on, but for what ``KernelFunction/arguments`` lists: the caller
  /// checks that all of it is bound.
  static func captured(_ call: CapturedCall) -> Self?

  func run(_ arguments: TwinArguments)
}

extension KernelFunction {
  static var names: [String] { shaders.map(\.functionName) }
  var name: String { Self.names[0] }
  var assembly: ShaderAssembly { ShaderAssembly(sources, constants: constants) }
  var sources: [ShaderSource] { Self.shaders }

  /// The function on the full-screen strip.
  var renderPipeline: RenderPipelineState {
    renderPipelines.value(self) {
      let twin = ShaderTwin { run($0) }
      let function = ShaderFunction(name: name, assembly: assembly, arguments: arguments, twin: twin)
      return RenderPipelineState(fullScreen: function)
    }
  }
}

/// A function whose twin has a loop for the samples of the texture at 0, of 8 or of 16 bits.
protocol SampledFunction: KernelFunction {
  func run<Sample: UnsignedSample>(_ type: Sample.Type, _ arguments: TwinArguments)
}

extension SampledFunction {
  func run(_ arguments: TwinArguments) {
    if arguments.texture(0).pixelFormat.depth == .bits8 {
      run(UInt8.self, arguments)
    } else {
      run(UInt16.self, arguments)
    }
  }
}

private let renderPipelines = Memo<RenderPipelineState>()

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

// MARK: Captures

/// A function of a capture with its bindings. Nobody has checked the macros or the bindings, so a twin does before it
/// trusts a size.
struct CapturedCall {
  let name: String
  let arguments: TwinArguments
  fileprivate let macros: [String: String]

  /// The picture that a function with two forms paints; nil for other functions.
  var target: TextureMemory? {
    arguments.colorAttachment ?? (arguments.binds(.storageTexture(1)) ? arguments.texture(1) : nil)
  }

  /// The number that a macro stands for; nil if it is missing or outside `range`.
  subscript(macro: String, range: ClosedRange<Int>) -> Int? {
    macros[macro].flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
  }

  subscript(isSet macro: String) -> Bool? { self[macro, 0...1].map { $0 == 1 } }

  func texture(_ index: Int) -> TextureMemory? {
    arguments.binds(.sampledTexture(index)) ? arguments.texture(index) : nil
  }

  /// The bytes at `index`, or the buffer in their place, as 32-bit words; empty if neither is bound.
  func words(_ index: Int) -> [UInt32] { arguments.binds(.bytes(index)) ? arguments.words(index) : [] }

  /// The block at `index`; nil if it is missing or too short.
  func block<Block: BitwiseCopyable>(_ type: Block.Type, _ index: Int) -> Block? {
    words(index).count * 4 >= MemoryLayout<Block>.size ? arguments.value(type, index) : nil
  }

  /// True if the texture at `index` has four channels of `sampleBits` bits and holds `size`.
  func hasPixels(_ index: Int, size: Size, sampleBits: Int) -> Bool {
    guard let texture = texture(index) else { return false }
    return texture.size.width >= size.width && texture.size.height >= size.height
      && texture.pixelFormat.samplesPerPixel == 4 && texture.pixelFormat.bytesPerSample * 8 == sampleBits
  }
}

extension BufferMemory {
  /// The buffer as 32-bit words, valid as long as the buffer: through the call of a twin.
  var words: UnsafeMutableBufferPointer<UInt32> { unsafe withWords { unsafe $0 } }
}

extension TwinArguments {
  /// The picture that a function with two forms paints.
  var target: TextureMemory { colorAttachment ?? texture(1) }
}

extension TwinLibrary {
  /// The twins of the functions that several kernels share; a kernel's family adds those of its own.
  package static let shared: TwinLibrary = {
    let functions: [any KernelFunction.Type] = [
      YCbCrToRGBFunction.self, RGBToYCbCrFunction.self, RenderFunction.self,
    ]
    var twins = TwinLibrary()
    for function in functions { twins.add(function) }
    return twins
  }()

  /// Adds the twins of a function for captured calls that it recognizes; others the kernel cannot have recorded.
  mutating func add<Function: KernelFunction>(_ function: Function.Type) {
    for name in Function.names {
      add(name) { macros in
        ShaderTwin { arguments in
          let call = CapturedCall(name: name, arguments: arguments, macros: macros)
          guard let function = Function.captured(call), function.arguments.allSatisfy(arguments.binds) else {
            throw SafelightError(
              .input, name, why: "the Swift twin does not know these macros and bindings",
              remedy: "replay it on a device with OpenGL ES, or give the function another name")
          }
          function.run(arguments)
        }
      }
    }
  }
}
