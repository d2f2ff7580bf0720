import ArgumentParser
import Glibc
import Safelight

struct FiltersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "filters",
    abstract: "List every filter with its parameters, defaults and ranges.",
    discussion: "With a name: that filter's formula and parameters.")

  @Argument(help: "A filter.", completion: .list(FilterCatalogue.descriptions.map(\.name))) var name: String?
  @Option(help: "text or json.") var format: ListingFormat = .text

  func run() throws {
    let all = FilterCatalogue.descriptions
    let chosen = try name.map { [try FilterSyntax.filter(named: $0, in: all)] } ?? all
    switch format {
    case .json: try deliver(json(["filters": chosen.map(Self.row)]))
    case .text: try deliver(chosen.map { text($0, whole: name != nil) }.joined(separator: "\n"))
    }
  }

  private func text(_ filter: FilterDescription, whole: Bool) -> String {
    var lines = ["\(filter.name): \(filter.summary)"]
    for parameter in filter.parameters {
      let value = parameter.isRequired ? "PATH" : parameter.defaultValue.description
      lines.append("  \(parameter.name)=\(value)  \(parameter.summary); \(parameter.allowedValues)")
      if case .choice(let choices, _) = parameter.kind, whole {
        lines += choices.map { "      \($0.value): \($0.summary)" }
      }
    }
    if whole && !filter.discussion.isEmpty { lines += ["", filter.discussion] }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func row(_ filter: FilterDescription) -> JSONObject {
    let parameters: [JSONObject] = filter.parameters.map { parameter in
      // Without a default a call must name a value.
      [
        "name": parameter.name, "summary": parameter.summary, "values": parameter.allowedValues,
        "default": parameter.isRequired ? nil : parameter.defaultValue.description,
      ]
    }
    return [
      "name": filter.name, "summary": filter.summary, "discussion": filter.discussion, "parameters": parameters,
    ]
  }
}

struct NewKernelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new-kernel",
    abstract: "Write a kernel to start from: a GLSL file for --filter shader=FILE.",
    discussion: """
      The file works as it is. Change pointKernel and the settings, and run it:

        safelight new-kernel glow
        safelight process in/ -o out/ --filter shader=glow.glsl:amount=0.5

      With --window the kernel reads the pixels around too. safelight filters shader says what a kernel can call.
      """)

  @Argument(
    help: "The file's name or path; .glsl is added if it is missing.", completion: .file(extensions: ["glsl"]))
  var name: String

  @Flag(help: "Begin with a kernel that reads the pixels around each pixel too.") var window = false

  func run() throws {
    let path = name.hasSuffix(".glsl") ? name : name + ".glsl"
    if fileExists(path) {
      throw SafelightError(.output, path, why: "it exists already", remedy: "choose another name, or remove it")
    }
    try deliver(window ? Self.window : Self.point, to: path)
    Console.line("safelight: wrote \(path); try safelight process in/ -o out/ --filter shader=\(path):amount=0.5")
  }

  private static let point = """
    // Colors that lean towards warm light.
    //
    // Samples are integers from 0 to MAXIMUM (255 or 65535). Arithmetic in integers gives the same bytes on every
    // driver as long as nothing overflows 32 bits; arithmetic in floats may differ in the last bit.

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
