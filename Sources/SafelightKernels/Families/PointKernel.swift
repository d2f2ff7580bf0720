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
  static func paint(_ destination: TextureMemory, from source: TextureMemory, _ uniforms: Uniforms, variant: Int)
}

/// The block of a kernel that reads nothing besides the pixel.
public struct NoUniforms: BitwiseCopyable, Sendable {
  /// Makes the empty block.
  public init() {}
}

/// The treatment of gray pictures by a kernel of colors.
public enum GrayPictures: Sendable {
  /// Textures of one and of two channels stay as they are. Gray with alpha has four channels, so the body must leave
  /// equal red, green and blue equal.
  case kept
  /// The kernel turns grays into colors, and refuses them.
  case refused
  /// Those of one channel go through the kernel; two channels are refused.
  case processed
}

extension ImageDescriptor {
  /// Refuses gray on behalf of the kernel `name`, which makes colors.
  func checkColors(for name: String) throws(SafelightError) {
    try ensure(
      !channels.isGray, .unsupported, "filter '\(name)'",
      why: "it turns grays into colors, which a gray picture cannot hold",
      remedy: "store the picture as RGB first, or leave the filter out")
  }
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

extension PointKernel where Uniforms == NoUniforms {
  /// The empty block.
  public func uniforms(for format: PixelFormat) -> NoUniforms { NoUniforms() }
}

extension PointKernel {
  /// This package's file with the kernel's name.
  public static var shader: ShaderText { card.shader }

  /// Adds the twin of the kernel's function, in both forms.
  public static func addTwins(to twins: inout TwinLibrary) { twins.add(PointKernelFunction<Self>.self) }

  /// ``GrayPictures/kept`` by default.
  public static var grays: GrayPictures { .kept }
  /// 1 by default.
  public static var variantCount: Int { 1 }

  /// 0 by default.
  public var variant: Int { 0 }

  /// Integers of 8 and of 16 bits, without two channels if grays are processed, and of four channels if they are
  /// refused.
  public static var formats: [PixelFormat] {
    switch grays {
    case .kept: PixelFormat.pointFormats
    case .refused: PixelFormat.pointFormats.filter { $0.samplesPerPixel == 4 }
    case .processed: PixelFormat.pictureFormats
    }
  }

  /// Refuses gray if ``grays`` says so.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    if Self.grays == .refused { try image.checkColors(for: Self.card.name) }
  }

  fileprivate static var hasUniforms: Bool { Uniforms.self != NoUniforms.self }

  /// A requirement, so that each kernel gets a loop with its body inlined; from another module the body would be called
  /// pixel by pixel.
  public static func paint(
    _ destination: TextureMemory, from source: TextureMemory, _ uniforms: Uniforms, variant: Int
  ) {
    @inline(__always) func walk(_ variant: Int) {
      walkPixels(from: source, to: destination, variant: variant) { pixel($0, uniforms, $1) }
    }
    // A loop for each of the first few, in which the variant is a constant.
    switch variantCount == 1 ? 0 : variant {
    case 0: walk(0)
    case 1: walk(1)
    case 2: walk(2)
    case 3: walk(3)
    default: walk(variant)
    }
  }

  /// The kernel, tile by tile.
  public func makeStage(on device: Device, form: KernelForm) -> any ImageStage {
    KernelStage.tiles(output: output) { encode(to: $0, source: $1, destination: $2, form: form) }
  }

  /// Records the kernel. Both textures need the same size and format, and other memory.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    let format = source.pixelFormat
    Self.card.check(self)
    if Self.grays == .kept && format.samplesPerPixel != 4 && Self.self != ImagePassthrough.self {
      return ImagePassthrough().encode(to: buffer, source: source, destination: destination, form: form)
    }
    Self.checkFormat(of: source)
    var bindings = Bindings()
    if Self.hasUniforms { bindings.setBytes(uniforms(for: format), index: 2) }
    PointKernelFunction<Self>(format: format, variant: variant).forms.encode(
      to: buffer, source: source, destination: destination, bindings: bindings, form: form, label: Self.card.name)
  }
}

/// The function of a point kernel.
private struct PointKernelFunction<Kernel: PointKernel>: PointFunction {
  let format: PixelFormat
  let variant: Int

  static var shaders: [ShaderSource] { [] }
  static var names: [String] { [Kernel.card.functionName] }
  var body: ShaderText { Kernel.shader }
  var constants: [ShaderAssembly.Constant] {
    [.init("HAS_COLORS", format.samplesPerPixel == 4)]
      + (Kernel.variantCount > 1 ? [.init("VARIANT", variant)] : [])
  }
  var arguments: [ShaderArgument] { Kernel.hasUniforms ? [.bytes(2)] : [] }

  static func captured(_ call: CapturedCall, _ format: PixelFormat) -> Self? {
    guard Kernel.formats.contains(format), call[isSet: "HAS_COLORS"] == (format.samplesPerPixel == 4),
      !Kernel.hasUniforms || call.block(Kernel.Uniforms.self, 2) != nil,
      let variant = Kernel.variantCount == 1 ? 0 : call["VARIANT", 0...Kernel.variantCount - 1]
    else { return nil }
    return Self(format: format, variant: variant)
  }

  func paint(_ arguments: TwinArguments, _ source: TextureMemory, _ destination: TextureMemory) {
    let uniforms = NoUniforms() as? Kernel.Uniforms ?? arguments.value(Kernel.Uniforms.self, 2)
    Kernel.paint(destination, from: source, uniforms, variant: variant)
  }
}
