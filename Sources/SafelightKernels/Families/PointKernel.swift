public import SafelightGPU
public import SafelightImage
public import SafelightShaders

/// A kernel that makes each pixel from the pixel at its place: a body in GLSL and the same in Swift.
///
/// The family runs the body in two forms, as a compute function and on the full-screen strip, cuts tiles and bands of
/// rows, checks sizes, formats and parameters, and finds the twin of a captured function.
public protocol PointKernel: ImageKernel {
  /// The std140 block at 2 that the body reads besides the pixel; ``NoUniforms`` for none.
  associatedtype Uniforms: BitwiseCopyable & Sendable = NoUniforms

  /// The body, which defines `uvec4 pointKernel(uvec4 pixel)` and names the picture `source`, texture 0. By default
  /// this package's file with the kernel's name.
  static var shader: ShaderText { get }

  /// The treatment of pictures without color.
  static var grays: GrayPictures { get }

  /// The number of bodies: the shader chooses by its macro `VARIANT`, the twin by ``PointSamples/variant``.
  static var variantCount: Int { get }

  /// The body that the parameters select, from 0.
  var variant: Int { get }

  /// Returns the block for pictures of `format`.
  func uniforms(for format: PixelFormat) -> Uniforms

  /// The body in Swift. Samples are integers from 0 to the greatest, and so must be the result; those that a format
  /// lacks are 0, alpha the greatest.
  ///
  /// Mark it `@inline(__always)`: called pixel by pixel, a body of some lines takes 1.4 times as long. It must not trap
  /// on any uniforms, since those of a captured function are not checked.
  static func pixel(_ pixel: SIMD4<Int32>, _ uniforms: Uniforms, _ samples: PointSamples) -> SIMD4<Int32>

  /// The loop over the body, which the family provides.
  static var twin: PointTwin<Uniforms> { get }
}

/// The block of a kernel that reads nothing besides the pixel.
public struct NoUniforms: BitwiseCopyable, Sendable {
  /// Makes the empty block.
  public init() {}
}

/// The treatment of pictures of one and of two channels by a kernel of colors.
public enum GrayPictures: Sendable {
  /// They stay as they are.
  case kept
  /// Those of one channel go through the kernel; two channels are refused.
  case processed
}

/// The samples of a picture as a point kernel sees them.
public struct PointSamples: Sendable {
  /// The greatest sample: 255 or 65535.
  public let maximum: Int32
  /// True if the picture has red, green, blue and alpha; if not, red is the gray.
  public let hasColors: Bool
  /// The number of the body.
  public let variant: Int
}

/// The loop of a point kernel's twin.
public struct PointTwin<Uniforms: Sendable>: Sendable {
  let run:
    @Sendable (_ source: TextureMemory, _ destination: TextureMemory, _ uniforms: Uniforms, _ variant: Int) -> Void
}

extension PointKernel where Uniforms == NoUniforms {
  /// The empty block.
  public func uniforms(for format: PixelFormat) -> NoUniforms { NoUniforms() }
}

extension PointKernel {
  /// This package's file with the kernel's name.
  public static var shader: ShaderText { card.shader }

  /// Adds the twin of the kernel's function, in both forms.
  public static func addTwins(to twins: inout TwinLibrary) {
    let twin = Self.twin
    twins.add(point: card.functionName) { call, format in
      guard formats.contains(format), call[isSet: "HAS_COLORS"] == (format.samplesPerPixel == 4),
        !hasUniforms || call.block(Uniforms.self, 2) != nil,
        let variant = variantCount == 1 ? 0 : call["VARIANT", 0...variantCount - 1]
      else { return nil }
      return { twin.run($1, $2, $0.uniforms(Uniforms.self), variant) }
    }
  }

  /// ``GrayPictures/kept`` by default.
  public static var grays: GrayPictures { .kept }

  /// 1 by default.
  public static var variantCount: Int { 1 }

  /// 0 by default.
  public var variant: Int { 0 }

  /// Integers of 8 and of 16 bits, without two channels if grays are processed.
  public static var formats: [PixelFormat] {
    grays == .kept ? PixelFormat.pointFormats : PixelFormat.pointFormats.filter { $0.samplesPerPixel != 2 }
  }

  private static var hasUniforms: Bool { Uniforms.self != NoUniforms.self }

  /// A requirement, so that each kernel gets a loop with its body inlined; from another module the body would be called
  /// pixel by pixel.
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

  /// The kernel, tile by tile.
  public func makeStage(on device: Device, form: KernelForm) -> any ImageStage {
    KernelStage.tiles(of: self) { encode(to: $0, source: $1, destination: $2, form: form) }
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
    functions[FunctionKey(Self.self, Self.self, format, variant)].encode(
      to: buffer, source: source, destination: destination, bindings: bindings, form: form, label: Self.card.name)
  }

  fileprivate static func makeFunction(_ format: PixelFormat, _ variant: Int) -> PointFunction {
    let twin = Self.twin
    return PointFunction(
      name: card.functionName, body: [shader], format: format,
      constants: [.init("HAS_COLORS", format.samplesPerPixel == 4)]
        + (variantCount > 1 ? [.init("VARIANT", variant)] : []),
      arguments: hasUniforms ? [.bytes(2)] : []
    ) { twin.run($1, $2, $0.uniforms(Uniforms.self), variant) }
  }
}

private let functions = PipelineLibrary<FunctionKey<any PointKernel.Type>, PointFunction> {
  $0.kernel.makeFunction($0.format, $0.variant)
}

extension TwinArguments {
  /// The block at 2, if the kernel has one.
  fileprivate func uniforms<Uniforms: BitwiseCopyable>(_ type: Uniforms.Type) -> Uniforms {
    if let none = NoUniforms() as? Uniforms { return none }
    return value(type, 2)
  }
}
