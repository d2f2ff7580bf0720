package import SafelightGPU
internal import SafelightImage
internal import SafelightShaders
internal import Synchronization

/// The variants of a kernel's functions, made at first use and shared by all devices: backends tell pipelines apart by
/// identity.
final class PipelineLibrary<Key: Hashable & Sendable, Pipeline: Sendable>: Sendable {
  private let variants = Mutex<[Key: Pipeline]>([:])
  private let make: @Sendable (Key) -> Pipeline

  init(_ make: @escaping @Sendable (Key) -> Pipeline) { self.make = make }

  subscript(key: Key) -> Pipeline {
    variants.withLock { variants in
      if let known = variants[key] { return known }
      let made = make(key)
      variants[key] = made
      return made
    }
  }
}

/// A variant of the function of a family's kernel; `Kind` is the existential of the family's types.
struct FunctionKey<Kind: Sendable>: Hashable, Sendable {
  let kernel: Kind
  let format: PixelFormat
  let variant: Int
  private let type: ObjectIdentifier

  init(_ kernel: Kind, _ type: Any.Type, _ format: PixelFormat, _ variant: Int) {
    self.kernel = kernel
    self.format = format
    self.variant = variant
    self.type = ObjectIdentifier(type)
  }

  static func == (left: Self, right: Self) -> Bool {
    left.type == right.type && left.format == right.format && left.variant == right.variant
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    hasher.combine(format)
    hasher.combine(variant)
  }
}

/// A function of this package in one variant, which its properties describe: its GLSL, its Swift twin, and how to
/// recognize it in a capture.
protocol KernelFunction: Hashable, Sendable {
  /// The function's name in captures; several if the variants have different texts.
  static var names: [String] { get }
  var name: String { get }
  var sources: [ShaderSource] { get }
  var constants: [ShaderAssembly.Constant] { get }
  var arguments: [ShaderArgument] { get }

  /// Recognizes a captured call; nil if the function has no such macros or cannot run on what is bound.
  ///
  /// Must check everything that ``run(_:)`` relies on, but for what ``KernelFunction/arguments`` lists: the caller
  /// checks that all of it is bound.
  static func captured(_ call: CapturedCall) -> Self?

  func run(_ arguments: TwinArguments)
}

extension KernelFunction {
  var name: String { Self.names[0] }

  fileprivate var shaderFunction: ShaderFunction {
    ShaderFunction(
      name: name, assembly: ShaderAssembly(sources, constants: constants), arguments: arguments,
      twin: ShaderTwin { run($0) })
  }
}

/// A function that runs over a grid of threads.
protocol ComputeFunction: KernelFunction {
  static var pipelines: PipelineLibrary<Self, ComputePipelineState> { get }
}

extension ComputeFunction {
  static func makePipelines() -> PipelineLibrary<Self, ComputePipelineState> {
    PipelineLibrary { ComputePipelineState($0.shaderFunction) }
  }

  var pipeline: ComputePipelineState { Self.pipelines[self] }
}

/// A function that is drawn on the full-screen strip.
protocol FragmentFunction: KernelFunction {
  static var pipelines: PipelineLibrary<Self, RenderPipelineState> { get }
}

extension FragmentFunction {
  static func makePipelines() -> PipelineLibrary<Self, RenderPipelineState> {
    PipelineLibrary { RenderPipelineState(fullScreen: $0.shaderFunction) }
  }

  var pipeline: RenderPipelineState { Self.pipelines[self] }
}

extension CommandBuffer {
  func blit<Result>(_ label: String, _ record: (BlitCommandEncoder) -> Result) -> Result {
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
  private let macros: [String: String]

  fileprivate init(_ name: String, _ macros: [String: String], _ arguments: TwinArguments) {
    self.name = name
    self.macros = macros
    self.arguments = arguments
  }

  /// The number that a macro stands for; nil if it is missing or outside `range`.
  subscript(macro: String, range: ClosedRange<Int>) -> Int? {
    macros[macro].flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
  }

  subscript(isSet macro: String) -> Bool? { self[macro, 0...1].map { $0 == 1 } }

  var entries: Int? { self["ENTRIES", 256...65536] }

  func texture(_ index: Int) -> TextureMemory? {
    arguments.has(textures: [index]) ? arguments.texture(index) : nil
  }

  /// The 32-bit words of the buffer at `index`; 0 if none is bound.
  func wordCount(_ index: Int) -> Int {
    arguments.has(buffers: [index]) ? unsafe arguments.buffer(index).withWords { $0.count } : 0
  }

  /// The bytes at `index`, or the buffer in their place, as 32-bit words; empty if neither is bound.
  func words(_ index: Int) -> [UInt32] { arguments.has(bytes: [index]) ? arguments.words(index) : [] }

  /// The block at `index`; nil if it is missing or too short.
  func block<Block: BitwiseCopyable>(_ type: Block.Type, _ index: Int) -> Block? {
    words(index).count * 4 >= MemoryLayout<Block>.size ? arguments.value(type, index) : nil
  }

  /// True if the texture at `index` is a look-up table of `rows` rows.
  func hasTable(_ index: Int, rows: Int) -> Bool {
    guard let table = texture(index) else { return false }
    return table.size == Size(256, rows) && table.pixelFormat == .rgba16Uint
  }

  /// True if the texture at `index` has four channels of `sampleBits` bits and holds `size`.
  func hasPixels(_ index: Int, size: Size, sampleBits: Int) -> Bool {
    guard let texture = texture(index) else { return false }
    return texture.size.width >= size.width && texture.size.height >= size.height
      && texture.pixelFormat.samplesPerPixel == 4 && texture.pixelFormat.bytesPerSample * 8 == sampleBits
  }

  fileprivate func has(_ bound: [ShaderArgument]) -> Bool {
    var (textures, stored, buffers, bytes): ([Int], [Int], [Int], [Int]) = ([], [], [], [])
    for argument in bound {
      switch argument {
      case .sampledTexture(let index): textures.append(index)
      case .storageTexture(let index), .readWriteTexture(let index): stored.append(index)
      case .readBuffer(let index), .storageBuffer(let index): buffers.append(index)
      case .bytes(let index): bytes.append(index)
      }
    }
    return arguments.has(textures: textures, stored: stored, buffers: buffers, bytes: bytes)
  }
}

extension TwinLibrary {
  /// The twins of the functions that several kernels share; a kernel's family adds those of its own.
  package static let shared: TwinLibrary = {
    let functions: [any KernelFunction.Type] = [
      HistogramFunction.self, ExtremaFunction.self, RangeFunction.self, EdgesFunction.self, DistanceFunction.self,
      SumFunction.self, EqualizationFunction.self, TileCountFunction.self, TileTableFunction.self,
      SpecificationSumsFunction.self, SpecificationFunction.self, StretchFunction.self, YCbCrToRGBFunction.self,
      RGBToYCbCrFunction.self,
    ]
    let variants: [any PointVariant.Type] = [
      EqualizationLookUp.self, LevelLookUp.self, TileLookUp.self, TableLookUp.self, CubeLookUp.self,
    ]
    var twins = TwinLibrary()
    for function in functions { twins.add(function) }
    for variant in variants { twins.add(variant) }
    RenderFunction.addTwins(to: &twins)
    return twins
  }()

  private mutating func add<Function: KernelFunction>(_ function: Function.Type) {
    for name in Function.names {
      add(captured: name) { call in
        guard let function = Function.captured(call), call.has(function.arguments) else { return nil }
        return ShaderTwin { function.run($0) }
      }
    }
  }

  private mutating func add<Variant: PointVariant>(_ variant: Variant.Type) {
    add(point: Variant.name, worksInBands: Variant.worksInBands) { call, format in
      guard let variant = Variant.captured(call, format), call.has(variant.arguments) else { return nil }
      return { variant.paint($0, $1, $2) }
    }
  }

  /// Adds the twin of a function called `name`, which `make` makes for each captured call; nil stands for a call that
  /// the kernel cannot have recorded.
  mutating func add(captured name: String, _ make: @escaping @Sendable (CapturedCall) -> ShaderTwin?) {
    add(name) { macros in
      ShaderTwin { arguments in
        guard let twin = make(CapturedCall(name, macros, arguments)) else {
          throw SafelightError(
            .input, name, why: "the Swift twin does not know these macros and bindings",
            remedy: "replay it on a device with OpenGL ES, or give the function another name")
        }
        try twin.run(arguments)
      }
    }
  }

  /// Adds the twin of a point kernel, which serves both of its forms; `make` gets the format of the pictures, whose
  /// bindings are checked. The twin gets bands of rows unless it must see whole textures.
  mutating func add(
    point name: String, worksInBands: Bool = true,
    _ make: @escaping @Sendable (CapturedCall, PixelFormat) -> PointFunction.Twin?
  ) {
    add(captured: name) { call in
      let arguments = call.arguments
      guard let source = call.texture(0),
        let target = arguments.colorAttachment ?? (arguments.has(stored: [1]) ? arguments.texture(1) : nil),
        source.size == target.size, source.pixelFormat == target.pixelFormat,
        PixelFormat.pointFormats.contains(source.pixelFormat), let twin = make(call, source.pixelFormat)
      else { return nil }
      let whole = worksInBands ? PointFunction.banded(twin) : twin
      return ShaderTwin { whole($0, $0.texture(0), $0.colorAttachment ?? $0.texture(1)) }
    }
  }
}
