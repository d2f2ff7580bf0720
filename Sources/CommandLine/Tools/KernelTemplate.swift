/// A kernel to start from: a package with one Swift file and one shader.
///
/// In the texts NAME is the kernel's name, FUNCTION that of its function, and TYPE that of its type.
enum KernelTemplate: String, CaseIterable {
  case point
  case window
  case twoPass = "two-pass"
  case twoPictures = "two-pictures"
  case statistics

  /// True if the shader runs by itself, as the filter `shader`.
  var runsAlone: Bool { self == .point || self == .window }

  /// Returns the files of the package, by their paths. Without the folder of Safelight's package, `safelight`, the
  /// author has to state it.
  func package(named name: String, dependingOn safelight: String?) -> [(path: String, text: String)] {
    let function = Self.function(name)
    let type = "Image" + name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    func filled(_ text: String) -> String {
      text.replacing("NAME", with: name).replacing("FUNCTION", with: function).replacing("TYPE", with: type)
    }
    let path = "\"\(safelight ?? "../safelight")\""
    return [
      ("Package.swift", filled(Self.manifest.replacing("PATH", with: path))),
      ("Sources/\(name)/\(type).swift", filled(kernel + Self.tool)),
      ("Sources/\(name)/\(function).glsl", shader),
    ]
  }

  /// Returns the name of a kernel's function in GLSL.
  static func function(_ name: String) -> String { name.replacing("-", with: "_") }

  /// The shader.
  var shader: String { texts.shader }

  /// The Swift file without the tool.
  var kernel: String { texts.kernel }

  private var texts: (kernel: String, shader: String) {
    switch self {
    case .point: (Self.pointKernel, Self.pointShader)
    case .window: (Self.windowKernel, Self.windowShader)
    case .twoPass: (Self.twoPassKernel, Self.twoPassShader)
    case .twoPictures: (Self.twoPicturesKernel, Self.twoPicturesShader)
    case .statistics: (Self.statisticsKernel, Self.statisticsShader)
    }
  }

  private static let manifest = """
    // swift-tools-version: 6.2
    import PackageDescription

    let package = Package(
      name: "NAME",
      dependencies: [
        // The folder of Safelight's package, or url: "https://…/safelight", branch: "main".
        .package(name: "safelight", path: PATH)
      ],
      targets: [
        .executableTarget(
          name: "NAME",
          dependencies: [
            .product(name: "Safelight", package: "safelight"),
            .product(name: "SafelightCommandLine", package: "safelight"),
          ],
          resources: [.embedInCode("FUNCTION.glsl")])
      ])

    """

  private static let tool = """

    /// The tool with one filter more.
    @main enum Tool {
      static func main() { SafelightTool.main(adding: [TYPE.self]) }
    }

    """
}

// MARK: One pixel

extension KernelTemplate {
  private static let pointKernel = """
    import Safelight
    import SafelightCommandLine

    /// Leans colors towards warm light.
    struct TYPE: PointKernel {
      /// From 0 to 1.
      var amount = 0.3

      static let card = KernelCard<Self>(
        "NAME", "leans colors towards warm light",
        discussion: \"""
              warmth = floor(64 * amount + 1/2)
              red    = (red * (256 + warmth) + 128) >> 8, at most the maximum
              blue   = (blue * (256 - warmth) + 128) >> 8

          Green and alpha stay.
          \""",
        [.number("amount", "how warm", \\.amount, in: 0...1)],
        examples: ["NAME", "NAME=1"])

      static let shader = ShaderText(name: "FUNCTION.glsl", bytes: PackageResources.FUNCTION_glsl)

      /// A gray picture cannot become warm.
      static var grays: GrayPictures { .refused }

      func uniforms(for format: PixelFormat) -> SIMD4<Float> { [Float(amount), 0, 0, 0] }

      /// The twin of pointKernel.
      @inline(__always)
      static func pixel(_ pixel: SIMD4<Int32>, _ uniforms: SIMD4<Float>, _ samples: PointSamples) -> SIMD4<Int32> {
        let warmth = Int32(uniforms.x * 64 + 0.5)
        let red = min((pixel.x * (256 + warmth) + 128) >> 8, samples.maximum)
        let blue = (pixel.z * (256 - warmth) + 128) >> 8
        return [red, pixel.y, blue, pixel.w]
      }
    }

    """

  private static let pointShader = """
    // Leans colors towards warm light.
    //
    // Samples are integers from 0 to MAXIMUM (255 or 65535). Arithmetic in integers gives the same bytes on every
    // driver as long as nothing overflows 32 bits; arithmetic in floats may differ in the last bit.

    layout(std140, binding = 2) uniform Settings {
      float amount;  // 0 to 1, default 0.3: how warm
    };

    uvec4 pointKernel(uvec4 pixel) {
      // The only float: from here on all is counted in 256ths.
      uint warmth = uint(amount * 64.0 + 0.5);
      uint red = min((pixel.r * (256u + warmth) + 128u) >> 8, MAXIMUM);
      uint blue = (pixel.b * (256u - warmth) + 128u) >> 8;
      return uvec4(red, pixel.g, blue, pixel.a);
    }

    """
}

// MARK: The pixels around

extension KernelTemplate {
  private static let windowKernel = """
    import Safelight
    import SafelightCommandLine

    /// Makes edges sharper.
    struct TYPE: PassKernel {
      /// From 0 to 4.
      var amount = 1.0

      static let card = KernelCard<Self>(
        "NAME", "makes edges sharper",
        discussion: \"""
              strength = floor(256 * amount + 1/2)
              out      = v + floor(((4 * v - around) * strength + 512) / 1024), from 0 to the maximum

          where around is the sum of the pixels to the left, to the right, above and below. Alpha stays.
          \""",
        [.number("amount", "how sharp", \\.amount, in: 0...4)],
        examples: ["NAME", "NAME=4"])

      func passes(for picture: PassPicture) -> [Pass] {
        [
          Pass(
            Sharpening(), uniforms: [Float(amount).bitPattern],
            inputs: [.source(.square(radius: 1), edge: .clamp, named: "neighbor")])
        ]
      }
    }

    private struct Sharpening: PassFunction {
      var name: String { "FUNCTION" }
      var body: ShaderText { ShaderText(name: "FUNCTION.glsl", bytes: PackageResources.FUNCTION_glsl) }

      /// The twin of pointKernel.
      func make(_ memory: PassMemory) {
        let neighbor = memory.input("neighbor")
        let strength = Int32(Float(bitPattern: memory.uniforms[0]) * 256 + 0.5)
        let largest = SIMD4(repeating: Int32(memory.maximum))
        memory.makePixels { position in
          let pixel = neighbor.pixel(position)
          let around =
            neighbor.pixel(position, x: -1) &+ neighbor.pixel(position, x: 1) &+ neighbor.pixel(position, y: -1)
            &+ neighbor.pixel(position, y: 1)
          let edge = (SIMD4<Int32>(truncatingIfNeeded: 4 &* pixel) &- SIMD4(truncatingIfNeeded: around)) &* strength
          var made = SIMD4<Int32>(truncatingIfNeeded: pixel) &+ (edge &+ 512) &>> 10
          made.clamp(lowerBound: .zero, upperBound: largest)
          return [UInt32(made.x), UInt32(made.y), UInt32(made.z), pixel.w]
        }
      }
    }

    """

  private static let windowShader = """
    // Pixels less their surroundings: edges become sharper.
    //
    // Samples are integers from 0 to MAXIMUM (255 or 65535). neighbor(x, y) is the pixel x columns to the right and y
    // rows below; beyond the edge of the picture lie the pixels at the edge.

    #define RADIUS 1

    layout(std140, binding = 2) uniform Settings {
      float amount;  // 0 to 4, default 1: how sharp
    };

    uvec4 pointKernel(uvec4 pixel) {
      uvec4 around = neighbor(-1, 0) + neighbor(1, 0) + neighbor(0, -1) + neighbor(0, 1);
      // The only float: from here on all is counted in 256ths of a quarter.
      int strength = int(amount * 256.0 + 0.5);
      ivec4 made = ivec4(pixel) + (((ivec4(4u * pixel) - ivec4(around)) * strength + 512) >> 10);
      return uvec4(clamp(made.rgb, 0, int(MAXIMUM)), pixel.a);
    }

    """
}

// MARK: Columns, then rows

extension KernelTemplate {
  private static let twoPassKernel = """
    import Safelight
    import SafelightCommandLine

    /// Makes the picture soft.
    struct TYPE: PassKernel {
      /// From 1 to 20.
      var radius = 3

      static let card = KernelCard<Self>(
        "NAME", "makes the picture soft, by the mean of a square",
        discussion: \"""
              out = floor((sum + area / 2) / area),  area = (2 * radius + 1) * (2 * radius + 1)

          with the sum of the square around a pixel, down the columns first and then along the rows. Alpha too.
          \""",
        [.integer("radius", "the columns and rows to each side", \\.radius, in: 1...20)],
        examples: ["NAME", "NAME=1"])

      func passes(for picture: PassPicture) -> [Pass] {
        let radius = UInt32(self.radius)
        return [
          Pass(
            Mean(isRow: false), uniforms: [radius], inputs: [.source(.window(columns: 0, rows: self.radius))],
            output: .temporary(0, .rgba32Uint)),
          Pass(
            Mean(isRow: true), uniforms: [radius],
            inputs: [.temporary("sums", 0, .window(columns: self.radius, rows: 0))]),
        ]
      }
    }

    private struct Mean: PassFunction {
      let isRow: Bool

      var name: String { "FUNCTION" }
      var body: ShaderText { ShaderText(name: "FUNCTION.glsl", bytes: PackageResources.FUNCTION_glsl) }
      var constants: [ShaderAssembly.Constant] { [.init("IS_ROW", isRow)] }

      /// The twin of both bodies.
      func make(_ memory: PassMemory) {
        let radius = Int(memory.uniforms[0])
        let area = UInt32((2 * radius + 1) * (2 * radius + 1))
        if isRow {
          let sums = memory.input("sums")
          memory.makePixels { position in
            var sum = SIMD4<UInt32>()
            for x in -radius...radius { sum &+= sums.pixel(position, x: x) }
            return (sum &+ area / 2) / area
          }
        } else {
          let source = memory.input("source")
          memory.makePixels { position in
            var sum = SIMD4<UInt32>()
            for y in -radius...radius { sum &+= source.pixel(position, y: y) }
            return sum
          }
        }
      }
    }

    """

  private static let twoPassShader = """
    // The mean of a square: sums down the columns, then sums of those along the rows, divided.

    layout(std140, binding = 2) uniform Settings {
      uint radius;
    };

    #if IS_ROW
    uvec4 pointKernel(uvec4 pixel) {
      uvec4 sum = uvec4(0u);
      for (int x = -int(radius); x <= int(radius); ++x) sum += sums(x, 0);
      uint area = (2u * radius + 1u) * (2u * radius + 1u);
      return (sum + area / 2u) / area;
    }
    #else
    uvec4 pointKernel(uvec4 pixel) {
      uvec4 sum = uvec4(0u);
      for (int y = -int(radius); y <= int(radius); ++y) sum += source(0, y);
      return sum;
    }
    #endif

    """
}

// MARK: Two pictures

extension KernelTemplate {
  private static let twoPicturesKernel = """
    import Safelight
    import SafelightCommandLine

    /// Mixes two pictures.
    struct TYPE: PassKernel {
      /// The part of the second picture, from 0 to 1.
      var amount = 0.5

      static let card = KernelCard<Self>(
        "NAME", "mixes the frames with a second picture",
        discussion: \"""
              part = floor(256 * amount + 1/2)
              out  = (frame * (256 - part) + second * part + 128) >> 8

          Alpha stays that of the frame.
          \""",
        [.number("amount", "the part of the second picture", \\.amount, in: 0...1)],
        examples: ["NAME", "NAME=0.25"], secondPicture: "the picture, or the pictures, that are mixed in")

      func passes(for picture: PassPicture) -> [Pass] {
        [Pass(Mixing(), uniforms: [UInt32(256 * amount + 0.5)], inputs: [.source(.pixel), .second(.pixel)])]
      }
    }

    private struct Mixing: PassFunction {
      var name: String { "FUNCTION" }
      var body: ShaderText { ShaderText(name: "FUNCTION.glsl", bytes: PackageResources.FUNCTION_glsl) }

      /// The twin of pointKernel.
      func make(_ memory: PassMemory) {
        let (source, second, part) = (memory.input("source"), memory.input("second"), memory.uniforms[0])
        memory.makePixels { position in
          let pixel = source.pixel(position)
          var made = (pixel &* (256 - part) &+ second.pixel(position) &* part &+ 128) &>> 8
          made.w = pixel.w
          return made
        }
      }
    }

    """

  private static let twoPicturesShader = """
    // The frame and a second picture, mixed in 256ths.

    layout(std140, binding = 2) uniform Settings {
      uint part;
    };

    uvec4 pointKernel(uvec4 pixel) {
      uvec4 made = (pixel * (256u - part) + second(0, 0) * part + 128u) >> 8;
      return uvec4(made.rgb, pixel.a);
    }

    """
}

// MARK: Numbers of the whole picture

extension KernelTemplate {
  private static let statisticsKernel = """
    import Safelight
    import SafelightCommandLine

    /// Makes the picture as bright as it can be.
    struct TYPE: PassKernel {
      static let card = KernelCard<Self>(
        "NAME", "makes the brightest sample of the picture the maximum, and all others brighter alike",
        discussion: \"""
              out = floor((v * maximum + brightest / 2) / brightest)

          with the greatest sample of red, green and blue of the whole picture. Black pictures and alpha stay.
          \""",
        examples: ["NAME"])

      func passes(for picture: PassPicture) -> [Pass] {
        [
          Pass(Brightness(isMeasured: true), inputs: [.source(.pixel)], output: .numbers(0, [.greatest(1)])),
          Pass(Brightness(isMeasured: false), inputs: [.source(.pixel), .numbers("brightest", 0)]),
        ]
      }
    }

    private struct Brightness: PassFunction {
      let isMeasured: Bool

      var name: String { "FUNCTION" }
      var body: ShaderText { ShaderText(name: "FUNCTION.glsl", bytes: PackageResources.FUNCTION_glsl) }
      var constants: [ShaderAssembly.Constant] { [.init("IS_MEASURED", isMeasured)] }

      /// The twin of both bodies.
      func make(_ memory: PassMemory) {
        let source = memory.input("source")
        if isMeasured {
          var brightest: UInt32 = 0
          memory.forEachPixel { position in
            let pixel = source.pixel(position)
            brightest = max(brightest, pixel.x, pixel.y, pixel.z)
          }
          memory.raiseNumber(0, brightest)
        } else {
          let brightest = memory.input("brightest").number(0)
          memory.makePixels { position in
            let pixel = source.pixel(position)
            if brightest == 0 { return pixel }
            var made = (pixel &* memory.maximum &+ brightest / 2) / brightest
            made.w = pixel.w
            return made
          }
        }
      }
    }

    """

  private static let statisticsShader = """
    // The greatest sample of a picture, and the picture as bright as that sample allows.

    #if IS_MEASURED
    uint greatest;

    void begin() {
      greatest = 0u;
    }

    void take(uvec4 pixel) {
      greatest = max(greatest, max(pixel.r, max(pixel.g, pixel.b)));
    }

    void give() {
      raiseNumber(0u, greatest);
    }
    #else
    uvec4 pointKernel(uvec4 pixel) {
      uint most = brightest(0u);
      if (most == 0u) return pixel;
      return uvec4((pixel.rgb * MAXIMUM + most / 2u) / most, pixel.a);
    }
    #endif

    """
}
