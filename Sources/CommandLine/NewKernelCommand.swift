import ArgumentParser
import Glibc
import Safelight

/// `safelight new-kernel`.
struct NewKernelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new-kernel",
    abstract: "Writes a kernel of your own to start from: a file of GLSL for --filter shader=FILE.",
    discussion: """
      The file works as it is. Change pointKernel and the settings, and run it:

        safelight new-kernel glow
        safelight process in/ -o out/ --filter shader=glow.glsl:amount=0.5

      With --window the kernel looks at the pixels around. safelight filters shader says what a kernel can call.
      """)

  @Argument(
    help: ArgumentHelp("Its name, or a path; .glsl is added where it is missing."),
    completion: .file(extensions: ["glsl"]))
  var name: String

  @Flag(help: "Begin with a kernel of the pixels around, and not of each pixel alone.")
  var window = false

  func run() throws {
    let path = name.hasSuffix(".glsl") ? name : name + ".glsl"
    if fileExists(path) {
      throw SafelightError(.output, path, why: "it exists already", remedy: "choose another name, or remove it")
    }
    let file = try AtomicFile(path: path)
    try file.write(Array((window ? Self.window : Self.point).utf8))
    try file.commit()
    Console.line("safelight: wrote \(path); try safelight process in/ -o out/ --filter shader=\(path):amount=0.5")
  }

  private static let point = """
    // Colors that lean towards warm light.
    //
    // Samples are integers from 0 to MAXIMUM (255 or 65535). Arithmetic in integers gives the same bytes on every driver
    // as long as nothing overflows 32 bits; arithmetic in floats may differ in the last bit.

    layout(std140, binding = 2) uniform Settings {
      float amount;  // 0 to 1, default 0.3: how warm
    };

    uvec4 pointKernel(uvec4 pixel) {
      // The only float: from here on all is counted in 256ths.
      uint warmth = uint(amount * 64.0 + 0.5);
      uint red = (pixel.r * (256u + warmth) + 128u) >> 8;
      uint blue = (pixel.b * (256u - warmth) + 128u) >> 8;
      return uvec4(red, pixel.g, blue, pixel.a);
    }

    """

  private static let window = """
    // Pixels less their surroundings: edges become sharper.
    //
    // Samples are integers from 0 to MAXIMUM (255 or 65535). neighbor(x, y) is the pixel x columns to the right and y rows
    // below; beyond the edge of the picture lie the pixels at the edge.

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
