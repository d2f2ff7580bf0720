public import SafelightImage
public import SafelightShaders

/// A kernel of one pass that makes each pixel from the pixel at its place: a body in GLSL and the same in Swift.
public protocol PointKernel: PassKernel {
  /// The std140 block at 2 that the body reads besides the pixel; ``NoUniforms`` for none.
  associatedtype Uniforms: BitwiseCopyable & Sendable = NoUniforms

  /// The body, which defines `uvec4 pointKernel(uvec4 pixel)`. By default this package's file with the kernel's name.
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
  /// Mark it `@inline(__always)`: called pixel by pixel, a body of some lines takes 1.4 times as long.
  static func pixel(_ pixel: SIMD4<Int32>, _ uniforms: Uniforms, _ samples: PointSamples) -> SIMD4<Int32>

  /// The loop over the body, which the family provides.
  static func make(_ memory: PassMemory, _ uniforms: Uniforms, variant: Int)
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
  /// Refuses gray on behalf of the kernel `name` if it makes colors of grays.
  package func refuseGray(for name: String, if makesColors: Bool) throws(SafelightError) {
    try ensure(
      !(makesColors && channels.isGray), .unsupported, "filter '\(name)'",
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
    try image.refuseGray(for: Self.card.name, if: Self.grays == .refused)
  }

  /// A requirement, so that each kernel gets a loop with its body inlined; from another module the body would be called
  /// pixel by pixel.
  public static func make(_ memory: PassMemory, _ uniforms: Uniforms, variant: Int) {
    @inline(__always) func walk(_ variant: Int) {
      walkPixels(memory, variant: variant) { pixel($0, uniforms, $1) }
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

  /// One pass, or none for a picture without color that the kernel keeps.
  public func passes(for picture: PassPicture) -> [Pass] {
    let format = picture.pixelFormat
    let hasColors = format.samplesPerPixel == 4
    if Self.grays == .kept && !hasColors && Self.self != ImagePassthrough.self { return [] }
    let function = PointKernelFunction<Self>(hasColors: hasColors, variant: variant)
    return [Pass(function, uniforms: .block(uniforms(for: format)), inputs: [.source(.pixel)])]
  }
}

/// The function of a point kernel.
private struct PointKernelFunction<Kernel: PointKernel>: BuiltInPassFunction {
  let hasColors: Bool
  let variant: Int

  var name: String { Kernel.card.functionName }
  var body: ShaderText { Kernel.shader }
  var constants: [ShaderAssembly.Constant] {
    [.init("HAS_COLORS", hasColors)] + (Kernel.variantCount > 1 ? [.init("VARIANT", variant)] : [])
  }

  func make(_ memory: PassMemory) { Kernel.make(memory, memory.block(Kernel.Uniforms.self), variant: variant) }
}
