public import SafelightGPU
public import SafelightImage
public import SafelightShaders

/// A kernel that makes each pixel from the pixel at its place: a body in GLSL and the same in Swift.
///
/// The family runs the body in two forms, as a compute function and on the full-screen strip, cuts tiles and bands of
/// rows, checks sizes, formats and parameters, and finds the twin of a captured function.
public protocol PointKernel: ImageKernel {
  /// What the body reads beside the pixel: the std140 block at 2. ``NoUniforms`` for none.
  associatedtype Uniforms: BitwiseCopyable & Sendable = NoUniforms

  /// The body: defines `uvec4 pointKernel(uvec4 pixel)` and names the picture `source`, texture 0. The family finds
  /// that of this package by the kernel's name.
  static var shader: ShaderText { get }

  /// What becomes of pictures without color.
  static var grays: GrayPictures { get }

  /// How many bodies there are: the shader chooses by its macro `VARIANT`, the twin by ``PointSamples/variant``.
  static var variantCount: Int { get }

  /// Which of them the parameters ask for, from 0.
  var variant: Int { get }

  /// The block for pictures of `format`.
  func uniforms(for format: PixelFormat) -> Uniforms

  /// The body again. Samples are integers from 0 to the greatest, and must be so again; those that a format lacks are
  /// 0, alpha the greatest.
  ///
  /// Mark it `@inline(__always)`: called pixel by pixel, a body of some lines takes 1.4 times as long.
  ///
  /// Nobody has checked the uniforms of a captured function: the body must not trap on any.
  static func pixel(_ pixel: SIMD4<Int32>, _ uniforms: Uniforms, _ samples: PointSamples) -> SIMD4<Int32>

  /// The loop over the body; the family has it.
  static var twin: PointTwin<Uniforms> { get }
}

/// The block of a kernel that reads nothing beside the pixel.
public struct NoUniforms: BitwiseCopyable, Sendable {
  /// Makes it.
  public init() {}
}

/// What becomes of pictures of one and of two channels in a kernel of colors.
public enum GrayPictures: Sendable {
  /// They stay as they are.
  case kept
  /// Those of one channel go through the kernel; two channels are no picture.
  case processed
}

/// What the samples of a picture are to a point kernel.
public struct PointSamples: Sendable {
  /// The greatest: 255 or 65535.
  public let maximum: Int32
  /// Whether there are red, green, blue and alpha. Without, red is the gray.
  public let hasColors: Bool
  /// Which body is meant.
  public let variant: Int
}

/// The loop of a point kernel's twin.
public struct PointTwin<Uniforms: Sendable>: Sendable {
  let run:
    @Sendable (_ source: TextureMemory, _ destination: TextureMemory, _ uniforms: Uniforms, _ variant: Int) -> Void
}

extension PointKernel where Uniforms == NoUniforms {
  /// Nothing.
  public func uniforms(for format: PixelFormat) -> NoUniforms { NoUniforms() }
}

extension PointKernel {
  /// The text of this package whose file is called as the kernel.
  public static var shader: ShaderText {
    card.shader
  }

  /// The twin of its function, in both forms.
  public static func addTwins(to twins: inout TwinLibrary) { twins.add(Self.self) }

  /// They stay.
  public static var grays: GrayPictures { .kept }

  /// One.
  public static var variantCount: Int { 1 }

  /// The only one.
  public var variant: Int { 0 }

  /// The formats of pictures that it takes: integers of 8 and of 16 bits.
  public static var formats: [PixelFormat] {
    grays == .kept ? PixelFormat.pointFormats : PixelFormat.pointFormats.filter { $0.samplesPerPixel != 2 }
  }

  fileprivate static var hasUniforms: Bool { Uniforms.self != NoUniforms.self }

  /// A requirement, so that each kernel has a loop with its own body in it: a caller of another module would call the
  /// body pixel by pixel.
  public static var twin: PointTwin<Uniforms> {
    PointTwin { source, destination, uniforms, variant in
      @inline(__always) func walk(_ variant: Int) {
        walkPixels(from: source, to: destination, variant: variant) { Self.pixel($0, uniforms, $1) }
      }
      // A loop for each of the first few, in which the variant is a constant.
      switch Self.variantCount == 1 ? 0 : variant {
      case 0: walk(0)
      case 1: walk(1)
      case 2: walk(2)
      case 3: walk(3)
      default: walk(variant)
      }
    }
  }

  /// The kernel as it is, tile by tile.
  public func makeStage(on device: Device, form: KernelForm) -> any ImageStage {
    TileStage(self) { encode(to: $0, source: $1, destination: $2, form: form) }
  }

  /// Records the kernel. Both textures need the same size and format, and other memory.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    let format = source.pixelFormat
    Self.card.check(self)
    if Self.grays == .kept && format.samplesPerPixel != 4 {
      ImagePassthrough().encodePixels(to: buffer, source: source, destination: destination, form: form)
    } else {
      encodePixels(to: buffer, source: source, destination: destination, form: form)
    }
  }

  fileprivate func encodePixels(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm) {
    let format = source.pixelFormat
    Self.checkFormat(of: source)
    var bindings = Bindings()
    if Self.hasUniforms { bindings.setBytes(uniforms(for: format), index: 2) }
    PointFunctions.function(of: Self.self, format, variant)
      .encode(
        to: buffer, source: source, destination: destination, bindings: bindings, form: form, label: Self.card.name)
  }
}

/// The functions of point kernels, made at first use and shared by all devices.
enum PointFunctions {
  private static let known = PipelineLibrary<FunctionKey<any PointKernel.Type>, PointFunction> {
    make($0.kernel, $0.format, $0.variant)
  }

  static func function(of kernel: any PointKernel.Type, _ format: PixelFormat, _ variant: Int) -> PointFunction {
    known[FunctionKey(kernel, kernel, format, variant)]
  }

  private static func make<Kernel: PointKernel>(
    _ kernel: Kernel.Type, _ format: PixelFormat, _ variant: Int
  ) -> PointFunction {
    let twin = Kernel.twin
    let hasColors = ShaderAssembly.Constant("HAS_COLORS", format.samplesPerPixel == 4)
    return PointFunction(
      name: Kernel.card.functionName, body: Kernel.shader, format: format,
      constants: Kernel.variantCount > 1 ? [hasColors, ShaderAssembly.Constant("VARIANT", variant)] : [hasColors],
      arguments: Kernel.hasUniforms ? [.bytes(2)] : []
    ) { arguments, source, destination in
      twin.run(source, destination, arguments.uniforms(Kernel.Uniforms.self), variant)
    }
  }
}

extension TwinLibrary {
  /// Adds the twin of a point kernel, which serves captures of both its forms.
  mutating func add<Kernel: PointKernel>(_ kernel: Kernel.Type) {
    let twin = Kernel.twin
    add(point: Kernel.card.functionName, bytes: Kernel.hasUniforms ? [2] : []) { format, arguments, macros in
      guard Kernel.formats.contains(format), macros[isSet: "HAS_COLORS"] == (format.samplesPerPixel == 4),
        !Kernel.hasUniforms || arguments.words(2).count * 4 >= MemoryLayout<Kernel.Uniforms>.size,
        let variant = Kernel.variantCount == 1 ? 0 : macros["VARIANT", 0...Kernel.variantCount - 1]
      else { return nil }
      return { arguments, source, destination in
        twin.run(source, destination, arguments.uniforms(Kernel.Uniforms.self), variant)
      }
    }
  }
}

extension TwinArguments {
  /// The block at 2, where there is one.
  fileprivate func uniforms<Uniforms: BitwiseCopyable>(_ type: Uniforms.Type) -> Uniforms {
    if let none = NoUniforms() as? Uniforms { return none }
    return value(type, 2)
  }
}
