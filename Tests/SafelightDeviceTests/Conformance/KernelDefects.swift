import Safelight
import SafelightKernels
import TestSupport

/// A mistake in the GLSL of a kernel, which conformance must find.
struct KernelDefect: Sendable, CustomStringConvertible {
  /// A call of the kernel in which the mistake matters: `saturation=1.2`.
  let settings: String
  /// A part of the kernel's shader text.
  let find: String
  /// The mistaken text.
  let replacement: String

  init(_ settings: String, _ find: String, _ replacement: String) {
    (self.settings, self.find, self.replacement) = (settings, find, replacement)
  }

  /// `saturation=1.2: '+ 2048' → '+ 2047'`.
  var description: String { "\(settings): '\(find)' → '\(replacement)'" }
}

extension KernelDefect {
  /// Mistakes that somebody thought of; ``general`` plants those that all kernels share.
  static let all =
    (tone + color + geometry + windows + statistics).flatMap { $0 }
    + pad + warps + drawing + words + pyramid + histogram + normalizedHistogram + match + renderer
}

extension KernelDefect {
  /// A swapped channel and a dropped row in both pipelines of every point kernel.
  static var general: [KernelDefect] {
    get throws {
      let kernels = try ConformanceKernel.all.filter { try $0.isPointKernel }
      // One call of each is enough: they share what is broken.
      var seen: Set<String> = []
      return try kernels.filter { seen.insert("\($0.name) \($0.isCompute)").inserted }.flatMap { kernel in
        (try kernel.readsItsPixel
          ? [KernelDefect(kernel.settings, "pointKernel(SAFELIGHT_PIXEL", "pointKernel(SAFELIGHT_PIXEL.gbra")] : []) + [
            kernel.isCompute
              ? KernelDefect(
                kernel.settings, "if (safelight_isOutsideGrid()) return;",
                "if (safelight_isOutsideGrid() || gl_GlobalInvocationID.y + 1u == safelight_threadsPerGrid.y) return;")
              : KernelDefect(
                kernel.settings, "uvec4 safelight_result = pointKernel",
                // Of any picture, in whatever size it is made.
                "if (int(gl_FragCoord.y) == 0) discard;\n"
                  + "  uvec4 safelight_result = pointKernel"
              )
          ]
      }
    }
  }
}

extension ConformanceKernel {
  fileprivate var isCompute: Bool { settings.hasSuffix(", compute") }
  /// True if it uses the pixel that it gets, not its neighborhood.
  fileprivate var readsItsPixel: Bool {
    get throws {
      guard FilterCatalogue.descriptions.contains(where: { $0.name == name }) else { return false }
      let text = String(settings.split(separator: ", ").dropLast().joined(separator: ", "))
      // `match` is called with a reference in memory.
      guard let calls = try? FilterSyntax.parse(text, catalogue: FilterCatalogue.descriptions) else { return true }
      return try calls.allSatisfy { try FilterCatalogue.entry($0).passKernel($0)?.isPointwise ?? true }
    }
  }

  /// True if it records a function.
  var hasFunction: Bool { get throws { try records("void main()") } }

  /// True if one of its functions makes a pixel for each thread or fragment.
  fileprivate var isPointKernel: Bool {
    get throws { try records(isCompute ? "pointKernel(SAFELIGHT_PIXEL)" : "safelight_result = pointKernel(") }
  }

  /// Returns true if it records a function that contains `text`.
  private func records(_ text: String) throws -> Bool {
    guard let format = formats.first(where: \.isStorable) ?? formats.last else { return false }
    let device = try Device.open(.cpu)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    let black = [UInt8](repeating: 0, count: 64 * 64 * format.bytesPerPixel)
    try make(device)(ConformanceScene(in: buffer, black, "black", Size(64, 64), format, poison: 0))
    return buffer.recording.hasFunction(containing: text)
  }
}

extension KernelDefect {
  static let histogram =
    [
      lastRow("histogram of 256 entries, private"), rounding("histogram of 1024 entries from 0.25 to 0.75, global"),
      KernelDefect(
        "histogram of 256 entries, shared", "binOf(samples[plane], plane)",
        "binOf(samples[plane ^ 1u], plane)"),
      KernelDefect("histogram of 256 entries of luma, global", "19595u", "19594u"),
    ]
    // The pixels that are not seen: none, and their alpha too.
    + HistogramVariant.allCases.filter { $0 != .automatic }.flatMap { variant in
      [("samples.a <= SAFELIGHT_TRANSPARENT", "samples.a < SAFELIGHT_TRANSPARENT"), ("plane < 3u &&", "")].map {
        find, replacement in
        KernelDefect("histogram of 256 entries of visible pixels, \(variant)", find, replacement)
      }
    }

  /// A row left out of a histogram.
  private static func lastRow(_ settings: String) -> KernelDefect {
    let end = "min(safelight_top + safelight_rows, safelight_end.y"
    return KernelDefect(settings, end + ")", end + " - 1)")
  }

  /// Entries of a range that are rounded to the nearest.
  private static func rounding(_ settings: String) -> KernelDefect {
    let entry = "(min(value, high[plane]) - low[plane]) * uint(ENTRIES)"
    return KernelDefect(settings, entry, "(\(entry) + (high[plane] - low[plane]) / 2u)")
  }

  static let normalizedHistogram = [
    lastRow("normalized histogram of 256 entries"),
    rounding("normalized histogram of 1024 entries from 0.25 to 0.75"),
    KernelDefect(
      "normalized histogram of 256 entries", "raiseNumber(4u + channel, greatest[channel]",
      "raiseNumber(4u + channel, greatest[channel ^ 1u]"),
    KernelDefect("normalized histogram of 256 entries of luma", "7471u", "7470u"),
    KernelDefect("normalized histogram of 256 entries of visible pixels", "samples.rgb = uvec3(0u);", ""),
    KernelDefect("normalized histogram of 256 entries of visible pixels", "low.rgb = uvec3(0xFFFFFFFFu);", ""),
  ]

  static let match = [
    KernelDefect("match of luma with few values, render", "38470u", "38469u"),
    KernelDefect("match with few values, render", "return isLess(toUpper, toLower) ? above :", "return true ? above :"),
  ]
}

extension KernelDefect {
  static let renderer = [
    KernelDefect("renderer, linear, copy, render", "- corner.xy", ""),
    KernelDefect("renderer, linear, copy, compute", "second.y * lower + 32768u", "second.y * lower"),
    KernelDefect("renderer, nearest, sourceOver, render", "MAXIMUM - front.a) + MAXIMUM / 2u", "MAXIMUM - front.a)"),
    KernelDefect(
      "renderer, nearest, copy, compute", "if (safelight_isOutsideGrid()) return;",
      "if (safelight_isOutsideGrid() || gl_GlobalInvocationID.y + 1u == safelight_threadsPerGrid.y) return;"),
    KernelDefect(
      "renderer, area, copy, render", "scaledPixel(uvec2(pixelPosition() - corner.xy))",
      "scaledPixel(uvec2(pixelPosition() - corner.xy)).gbra"),
  ]
}
