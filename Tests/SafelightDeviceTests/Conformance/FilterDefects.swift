import Safelight
import SafelightKernels

// Mistakes of the filters' shaders, in the order of the catalogue. A filter needs none: a swapped channel and a dropped
// last row are planted in all by ``KernelDefect/general``.

extension KernelDefect {
  /// Tone.
  static let tone: [[KernelDefect]] = [
    ofLookup("levels=black=0.1:white=0.9:gamma=1.2"),
    ofLookup("gamma=2.2"),
    ofLookup("exposure=1"),
    ofLookup("brightness-contrast=0.1:contrast=1.3"),
    ofLookup("curves=red=0/0.07 1/0.93:points=0/0 0.3/0.5 1/1"),
    ofLookup(example(0, of: "lut")) + [
      KernelDefect(example(1, of: "lut"), "(shape.x - 1u);\n#endif", "shape.x;\n#endif"),
      KernelDefect(example(1, of: "lut"), "(middle - least) *", "(middle - least + 1u) *"),
      KernelDefect(example(1, of: "lut"), "+ DIVISOR / 2u", ""),
      KernelDefect(example(1, of: "lut"), "greenBlue ? uvec3(0u, 1u, 0u) : uvec3(0u, 0u, 1u)", "uvec3(0u, 0u, 1u)"),
      KernelDefect(example(1, of: "lut"), "redGreen ? uvec3(0u, 1u, 0u) : uvec3(1u, 0u, 0u)", "uvec3(0u, 1u, 0u)"),
      KernelDefect(
        example(2, of: "lut"), "positionsOf(pixel.g).g",
        "positionsOf(pixel.g).r"),
    ],
    [
      KernelDefect("threshold=0.5:operation=truncate", "weights.r * pixel.r", "(weights.r - 1u) * pixel.r"),
      KernelDefect("threshold=0.3:operation=to-zero", "+ 32768u", ""),
      KernelDefect("threshold=0.5", "weights.b * pixel.b", "weights.b * pixel.g"),
    ],
    ofLookup("posterize=200"),
    ofLookup("invert"),
  ]
}

extension KernelDefect {
  /// Color and the meaning of samples.
  static let color: [[KernelDefect]] = [
    [
      KernelDefect("saturation=1.2", "weights.r * pixel.r", "(weights.r - 1u) * pixel.r"),
      KernelDefect("saturation=1.2", "+ 2048", "+ 2047"),
    ],
    [
      KernelDefect("vibrance=-0.6", "weights.b * pixel.b", "(weights.b - 1u) * pixel.b"),
      KernelDefect("vibrance=0.6", "int gain = 4096", "int gain = 4095"),
      KernelDefect("vibrance=0.6", "rest + MAXIMUM / 2u", "rest"),
      KernelDefect("vibrance=0.6", "min(min(pixel.r, pixel.g), pixel.b)", "min(min(pixel.r, pixel.g), pixel.g)"),
    ],
    [
      KernelDefect("gray", "row.g * high.g", "(row.g + 1) * high.g"),
      KernelDefect("gray=bt709", "l + 32768", "l"),
    ],
    ofMatrix("hue=30"),
    ofMatrix("white-balance=9000"),
    ofMatrix("color-matrix=rr=0.4:rg=0.3:gr=0.2:bg=-0.3"),
    ofMatrix("channel-mix=rr=0.5:rg=0.7:rb=-0.2"),
    ofMatrix("channel-swap", rounds: false),
    [
      KernelDefect("srgb-to-linear", "value & 255u", "value & 254u"),
      KernelDefect("linear-to-srgb", "value & 255u", "value & 254u"),
    ],
    [
      KernelDefect("premultiply", "/ MAXIMUM,", "/ (MAXIMUM - 1u),"),
      KernelDefect("premultiply", "pixel.a + MAXIMUM / 2u", "pixel.a"),
    ],
    [
      KernelDefect("unpremultiply", "pixel.rgb * MAXIMUM", "pixel.rgb * (MAXIMUM - 1u)"),
      KernelDefect("unpremultiply", "MAXIMUM + pixel.a / 2u", "MAXIMUM"),
    ],
    [
      KernelDefect("ycbcr", "row.g * high.g", "(row.g + 512) * high.g"),
      KernelDefect("ycbcr", "mixedSample(secondRow", "mixedSample(firstRow"),
      KernelDefect("ycbcr", "row.y * high.y", "(row.y + 512) * high.y"),
      KernelDefect("ycbcr", "quarters & 3", "quarters & 1"),
      KernelDefect("ycbcr", "mixedSample(redRow", "mixedSample(blueRow"),
      KernelDefect("ycbcr=bt601:range=full:chroma=444:siting=center", "(l + (1 << 22))", "l"),
      KernelDefect("ycbcr", "return (4 - part.y) * above + part.y * below;", "return 4 * above;"),
    ],
  ]
}

extension KernelDefect {
  /// Geometry and compositing.
  static let geometry: [[KernelDefect]] = [
    [
      KernelDefect("resize=width=40:height=70", "+ 32768u) >> 16", "+ 32767u) >> 16"),
      KernelDefect("resize=width=40:height=70", "uvec2(greaterThan(rest + (second & 1u), TO))", "0u"),
      KernelDefect(
        "resize=width=40:height=70", "#define LAST uvec2(extent.zw)", "#define LAST uvec2(extent.zw - ivec2(0, 1))"),
      KernelDefect("resize=width=13:height=12", "(row + FROM.x / 2u)", "row"),
      KernelDefect("resize=height=13:mode=nearest", "source(stored);", "source(stored).grba;"),
      KernelDefect("resize=width=40:height=70", "256u * second", "255u * second"),
      KernelDefect("resize=width=40:height=70", "(halves >> 16)", "0u"),
      KernelDefect("resize=width=40:height=70", "sum.a / 2u", "0u"),
      KernelDefect("resize=width=13:height=12", "pixel.a + GREATEST / 2u", "pixel.a"),
      KernelDefect("resize=width=13:height=12", "GREATEST + mean.a / 2u", "GREATEST"),
    ],
    [
      KernelDefect("resize=width=9:height=40:mode=lanczos", "ivec4(1 << 21)", "ivec4(0)"),
      KernelDefect("resize=width=9:height=40:mode=lanczos", "[tap & 1]", "[0]"),
      KernelDefect("resize=width=9:height=40:mode=lanczos", "(lower >> 8)", "0"),
      KernelDefect("resize=width=40:height=9:mode=bicubic", "GREATEST / pixel.a", "(GREATEST - 1u) / pixel.a"),
      KernelDefect("resize=width=40:height=9:mode=bicubic", "pixel.a + GREATEST / 2u", "pixel.a"),
    ],
    [
      KernelDefect("flip=horizontal", "columns.z", "(columns.z - 1)"),
      KernelDefect("flip=vertical", "return made;", "return made.grba;"),
      KernelDefect("flip=vertical", "ivec2(column, row)", "ivec2(column, max(row, 1))"),
    ],
    [
      KernelDefect("orient=6", "columns.z", "(columns.z - 1)"),
      KernelDefect("orient=6", "return made;", "return made.grba;"),
      KernelDefect("orient=3", "ivec2(column, row)", "ivec2(column, max(row, 1))"),
    ],
    [
      KernelDefect(example(0, of: "over"), "+ alpha / 2u", ""),
      KernelDefect(example(0, of: "over"), "MAXIMUM / 2u) / MAXIMUM", "MAXIMUM / 2u) / (MAXIMUM - 1u)"),
      KernelDefect(example(0, of: "over"), "front.a * front.rgb", "front.a * front.grb"),
      KernelDefect(
        example(0, of: "over"), "return over(",
        "if (pixelPosition().y - corner.y == 3) return backdrop(0, 0);\n  return over("),
    ],
    [
      KernelDefect("blend=multiply", "return (product + MAXIMUM / 2u) / MAXIMUM", "return product / MAXIMUM"),
      KernelDefect(
        "blend=normal:opacity=0.7:alpha=premultiplied", "divided(f * (MAXIMUM - s.a))",
        "divided(f * (MAXIMUM - f.a))"),
      KernelDefect("blend=screen", "min(made.rgb,", "min(made.grb,"),
      KernelDefect("blend=normal", "uvec4 s = second(0, 0);", "uvec4 s = second(0, -min(pixelPosition().y % 2, 1));"),
      KernelDefect("blend=overlay:opacity=0.6", "hardLight(s, f)", "hardLight(f, s)"),
      KernelDefect("blend=hard-light", "- divided(f * light)", "- f * light / MAXIMUM"),
      KernelDefect("blend=color-dodge", "min(f, 1u) * MAXIMUM", "MAXIMUM"),
      KernelDefect("blend=color-burn", "f * MAXIMUM + rest / 2u", "f * MAXIMUM"),
      KernelDefect("blend=soft-light", "square - found * found > found", "square - found * found >= MAXIMUM"),
      KernelDefect("blend=soft-light", "- cube + 2u) / 4u", "- cube) / 4u"),
      KernelDefect("blend=soft-light", "4u * f <= MAXIMUM", "5u * f <= MAXIMUM"),
      KernelDefect("blend=exclusion", "s * (MAXIMUM - f)", "f * (MAXIMUM - s)"),
      KernelDefect("blend=hue", "saturation(f.rgb), luminosity(f.rgb)", "saturation(s.rgb), luminosity(f.rgb)"),
      KernelDefect("blend=saturation", "59u * c.g", "58u * c.g"),
      KernelDefect("blend=saturation", "+ own / 2u) / max(own, 1u)", ") / max(own, 1u)"),
      KernelDefect("blend=color", "(factor & 255u) * rest + total / 2u", "(factor & 255u) * rest"),
      KernelDefect("blend=color", "isLess(light, own, spread, below)", "false"),
      KernelDefect("blend=color", "isLess(dark, own, spread, above)", "false"),
      KernelDefect("blend=luminosity:opacity=0.8", "100u * even + 50u", "100u * even"),
    ],
    [
      KernelDefect("crossfade=length=5", "s > f ? own : rest", "s > f ? rest : own"),
      KernelDefect("crossfade=length=5", "? 1u : 0u", "? 0u : 0u"),
      KernelDefect("crossfade=length=5", "(total + whole / 2u) / whole", "total / whole"),
      KernelDefect("crossfade=length=9999", "if (total == 0u) return f;", "if (total == 0u) return uvec4(0u);"),
    ],
    [
      KernelDefect("add", "min(one + other, MAXIMUM)", "min(one + other, MAXIMUM - 1u)"),
      KernelDefect("add=scale=0.75:with-scale=-0.4:bias=0.25", "+ 32768;", ";"),
      KernelDefect("add=scale=0.75:with-scale=-0.4:bias=0.25", "withScale * ivec4(other >> 8)", "withScale"),
      KernelDefect("subtract", "one - min(one, other)", "one - min(one, other.grba)"),
      KernelDefect("subtract=scale=-1:with-scale=-1", ">> 8) + bias, 0", ">> 8) + bias, 1"),
      KernelDefect("multiply", "(dividend + divisor / 2u)", "dividend"),
      KernelDefect("multiply=scale=3:with-scale=1.3:bias=-0.2", "divisor << 15", "divisor << 14"),
      KernelDefect("multiply=scale=-1.7:bias=0.9", "uvec2(1u, 0u)", "uvec2(0u, 1u)"),
      KernelDefect("divide", "divisor == 0u ? 0u", "divisor == 0u ? MAXIMUM"),
      KernelDefect("divide=scale=0.3:bias=0.1", "clamp(bias, 0, int(MAXIMUM))", "0"),
      KernelDefect("divide=scale=7:with-scale=-9:bias=1", "if (int(wide.y) < 0) return 0u;", ""),
      KernelDefect("difference", "max(one, other) - min(one, other)", "max(one, other)"),
      KernelDefect("average", "one + other + 1u", "one + other"),
      KernelDefect("maximum", "uvec4(made.rgb, one.a)", "uvec4(made.rgb, other.a)"),
    ],
  ]
}

extension KernelDefect {
  /// Neighborhoods.
  static let windows: [[KernelDefect]] = [
    [
      KernelDefect("bilateral=5", "word(83 + int(difference))", "word(84 + int(difference))"),
      KernelDefect("bilateral=5", "apart.r + apart.g + apart.b", "apart.r + apart.g + apart.g"),
      lastRowOfWindow("bilateral=5"),
      KernelDefect("bilateral=5", "+ whole / 2u) / whole", ") / whole"),
    ],
    [
      KernelDefect("box=15", "y < radius.y; y += 1", "y < radius.y - 1; y += 1"),
      KernelDefect("box=3", "store(position, result)", "store(position, result.grba)"),
      lastRowOfWindow("box=3"),
      KernelDefect("box=3", "+ area / 2u) / area", ") / area"),
    ],
    [
      KernelDefect("blur=2", "far <= radius; far += 1) {\n    sum", "far < radius; far += 1) {\n    sum"),
      KernelDefect("blur=2", "return result;", "return result.grba;"),
      lastRowOfWindow("blur=2"),
      KernelDefect("blur=2:alpha=weighted", "+ MAXIMUM / 2u) / MAXIMUM, alpha", ") / MAXIMUM, alpha"),
      KernelDefect("blur=2:alpha=weighted", "+ pixel.a / 2u) / pixel.a", ") / pixel.a"),
      KernelDefect("blur=2:alpha=weighted", "+ UNIT / 2u) / UNIT", ") / UNIT"),
      KernelDefect("blur=2", "(1u << (HALF - 1))", "((1u << (HALF - 1)) - 1u)"),
    ],
    [
      KernelDefect("median=3", "max(max(a0, b0), c0)", "max(a0, b0)"),
      KernelDefect("median=5", "uvec4(HALF)", "uvec4(HALF - 1u)"),
      KernelDefect("median=5", "return middle;", "return middle.grba;"),
      lastRowOfWindow("median=3"),
      KernelDefect("median=7", "bit > 0u", "bit > 1u"),
    ],
    [
      KernelDefect("sobel", "2 * (at(1, 0)", "1 * (at(1, 0)"),
      KernelDefect("sobel", "luma601(pixel)", "luma601(pixel.grba)"),
      lastRowOfWindow("sobel"),
      KernelDefect("sobel", "larger * larger <= sum", "larger * larger < sum"),
    ],
  ]
}

extension KernelDefect {
  /// Histograms and statistics.
  static let statistics: [[KernelDefect]] = [
    [
      KernelDefect("equalize=channels=luma", "38470u", "38469u"),
      KernelDefect("equalize", "samples.a <= SAFELIGHT_TRANSPARENT", "samples.a < SAFELIGHT_TRANSPARENT"),
      KernelDefect("equalize", "return part.y >= total - part.y ? part.x + 1u : part.x", "return part.x"),
      KernelDefect("equalize=rule=opencv", "isUp ? mantissa + 1u : mantissa", "mantissa"),
      KernelDefect("equalize=rule=ffmpeg", "182u", "181u"),
      KernelDefect("equalize=rule=ffmpeg", "max(max(color.r, color.g), color.b)", "max(color.r, color.g)"),
      KernelDefect(
        "equalize=rule=ffmpeg", "spread + (255u - strength) * luma / 255u",
        "(strength * share + (255u - strength) * luma) / 255u"),
      KernelDefect(
        "equalize=rule=ffmpeg:strength=0.5:intensity=0.8", "spread - (strength - 255u) * luma / 255u",
        "uint(int(strength * share) - int((strength - 255u) * luma)) / 255u"),
      KernelDefect(
        "equalize=rule=ffmpeg", "min(safelight_top + safelight_rows, safelight_end.y)",
        "min(safelight_top + safelight_rows, safelight_end.y - 1)"),
    ],
    [
      KernelDefect("clahe=columns=2:rows=2:counts=all", "uvec4(parameters.x)", "uvec4(parameters.x - 1u)"),
      KernelDefect("clahe=clip=0:columns=2:rows=2:counts=all", "parameters.y", "(parameters.y + 4096u)"),
    ]
      + [
        ("(bits.r << 16) | bits.g", "(bits.r << 16)"),
        ("outputs[plane] = ", "outputs[2u - plane] = "),
        ("plane * ENTRIES + samples[plane]", "plane * ENTRIES + samples[2u - plane]"),
        ("min(part.y + 64, sizes.y)", "min(part.y + 64, sizes.y - 1)"),
        ("min(nearest(mixed", "min(truncated(mixed"),
        ("min(nearest(product", "min(truncated(product"),
        ("samples.a == 0u", "samples.a == 1u"),
        ("max(total, 1u)", "parameters.z"),
        ("if (total == 0u) outputs[plane] = entry;", ""),
      ].map { KernelDefect("clahe=clip=0:columns=2:rows=2", $0, $1) }
      + [
        KernelDefect(
          "clahe=columns=1:rows=1:clip=4", "muldiv(parameters.x, total,",
          "muldiv(parameters.x, parameters.z,")
      ],
    [
      KernelDefect("stretch=low=0.2:high=0.7", "partOf(total, parts.x)", "partOf(total, parts.y)"),
      KernelDefect("stretch=low=0.2:high=0.7", "+ range / 2u", ""),
      KernelDefect("stretch=low=0.2:high=0.7", "black[channel], white[channel]", "black[channel], white[0]"),
      KernelDefect(
        "stretch=low=0.2:high=0.7:channels=linked", "min(black.r, min(black.g, black.b))",
        "max(black.r, max(black.g, black.b))"),
      KernelDefect("stretch=low=0.2:high=0.7:channels=luma", "white = white.rrrr", "white = white.rggg"),
      KernelDefect("stretch=low=0.2:high=0.7", "entry < first + CHUNK; ++entry", "entry + 1u < first + CHUNK; ++entry"),
    ],
    [
      KernelDefect("mean", "sums += pixel;", "sums += pixel + 1u;"),
      KernelDefect("mean", "sums += pixel;", "sums += pixel.grba;"),
      KernelDefect("mean", "pixel.a == 0u", "pixel.a == 1u"),
      KernelDefect("mean", "counted += 1u;", "counted += 2u;"),
      KernelDefect(
        "mean", "min(safelight_top + safelight_rows, safelight_end.y)",
        "min(safelight_top + safelight_rows, safelight_end.y - 1)"),
    ],
  ]
}

extension KernelDefect {
  /// The edges of pad.
  static let pad: [KernelDefect] = [
    KernelDefect(example(1, of: "pad"), "seen != at", "seen.x != at.x"),
    KernelDefect(example(3, of: "pad"), "2 * count - 2", "2 * count - 1"),
    KernelDefect(example(4, of: "pad"), "period - 1 - (-1 - at)", "period - (-1 - at)"),
    KernelDefect(example(6, of: "crop"), "seen != at", "seen.x != at.x"),
  ]

  /// The positions of warps, and what is taken there.
  static let warps: [KernelDefect] = [
    KernelDefect(example(0, of: "affine"), "32768u) >> 16", "32767u) >> 16"),
    KernelDefect(example(0, of: "affine"), "if (inside != at) return color", "if (inside.x != at.x) return color"),
    KernelDefect(example(0, of: "affine"), "other.y + carry", "other.y"),
    KernelDefect(example(1, of: "affine"), "uvec2(0u, 128u)", "uvec2(0u, 64u)"),
    KernelDefect(example(2, of: "affine"), "ivec4(1 << 19)", "ivec4(0)"),
    KernelDefect(example(3, of: "affine"), "(upper & 4095) << 8", "(upper & 4095) << 7"),
    KernelDefect(example(4, of: "affine"), "2 * count - 2", "2 * count - 1"),
    KernelDefect(example(4, of: "affine"), "period - 1 - (-1 - at)", "period - (-1 - at)"),
    KernelDefect(example(3, of: "rotate"), "multiple(steps.zw, uint(at.y))", "multiple(steps.xy, uint(at.y))"),
    KernelDefect(example(0, of: "perspective"), "whole = ~whole", "whole = -whole"),
    KernelDefect(example(0, of: "perspective"), "number.x >> 24", "number.x >> 25"),
    KernelDefect(example(0, of: "undistort"), "2 * product(tangents.x, xy)", "product(tangents.x, xy)"),
    KernelDefect(example(0, of: "undistort"), "radial.y + product(radial.z, square)", "radial.y"),
    KernelDefect(example(0, of: "remap"), "samples.g", "samples.r"),
  ]

  /// Rectangles, borders, lines and redaction.
  static let drawing: [KernelDefect] = [
    KernelDefect(example(0, of: "rectangle"), "return over(front, pixel);", "return over(front.gbra + 1u, pixel);"),
    KernelDefect(example(1, of: "rectangle"), "+ alpha / 2u) / alpha", ") / alpha"),
    KernelDefect(example(1, of: "border"), "+ MAXIMUM / 2u) / MAXIMUM", ") / MAXIMUM"),
    KernelDefect(example(0, of: "line"), "line < 16 * place.y + 16", "line < 16 * place.y + 15"),
    KernelDefect(example(0, of: "line"), "left + 256u)", "left + 255u)"),
    KernelDefect(example(1, of: "line"), "+ 2048u) >> 12", ") >> 12"),
    KernelDefect(example(2, of: "text"), "picture(pixelPosition() - corner.xy)", "picture(pixelPosition())"),
    KernelDefect(example(0, of: "redact"), "min(first + edge.x, cells.zw)", "first + edge.x"),
    KernelDefect(example(0, of: "redact"), "(sum + count / 2u) / count", "sum / count"),
    KernelDefect(example(0, of: "redact"), "(pixelPosition() - cells.xy) / edge.x", "pixelPosition() / edge.x"),
  ]

  /// The pyramid's steps.
  static let pyramid: [KernelDefect] = [
    KernelDefect("pyramid of 3 levels, render", "6u : 1u", "5u : 1u"),
    KernelDefect("pyramid of 3 levels, render", "sum + 128u", "sum + 127u"),
    KernelDefect("pyramid of 3 levels, render", "sum + 32u", "sum + 31u"),
    KernelDefect("pyramid of 3 levels, render", "far < 0 ? 0u : 4u", "4u"),
  ]
}

extension KernelDefect {
  /// The words that every filter takes, and the opacity of `over`.
  static let words: [KernelDefect] = [
    KernelDefect("invert=opacity=0.5", "(65536u - share) + 32768u", "(65536u - share) + 32767u"),
    KernelDefect("invert=mask=MASK.png", "mask(0, 0).r", "mask(0, 0).g"),
    KernelDefect("invert=mask=MASK.png", "(65535u - own)", "(65536u - own)"),
    KernelDefect("blur=1:region=9x7-2-3:mask=MASK.png:opacity=0.7", "* share + 32768u", "* share"),
    KernelDefect("blur=1:region=9x7-2-3:mask=MASK.png:opacity=0.7", "picture(0, 0)", "made"),
    KernelDefect(example(5, of: "over"), "uint(corner.z) + 32768u", "uint(corner.z)"),
  ]
}

extension KernelDefect {
  /// The last row that a window reads, taken for one beyond the edge.
  private static func lastRowOfWindow(_ settings: String) -> KernelDefect {
    KernelDefect(settings, ") - 1) - SAFELIGHT_FIRST(", ") - ivec2(1, 2)) - SAFELIGHT_FIRST(")
  }

  /// An example of a filter.
  private static func example(_ number: Int, of filter: String) -> String {
    FilterCatalogue.entries.first { $0.description.name == filter }?.examples[number] ?? ""
  }
}

extension KernelDefect {
  /// The mistakes of a look-up with a kernel called as `settings`.
  fileprivate static func ofLookup(_ settings: String) -> [KernelDefect] {
    [
      KernelDefect(settings, "int(value >> 8)", "int(value >> 9)"),
      KernelDefect(settings, "value & 255u", "value & 254u"),
      KernelDefect(settings, "pixel.g = outputs(pixel.g).g", "pixel.g = outputs(pixel.b).g"),
    ]
  }
}

extension KernelDefect {
  /// The mistakes of a matrix with a kernel called as `settings`.
  fileprivate static func ofMatrix(_ settings: String, rounds: Bool = true) -> [KernelDefect] {
    let rounding = KernelDefect(settings, "l + 32768", "l")
    return [
      KernelDefect(settings, "row.g * high.g", "(row.g + 1) * high.g"),
      KernelDefect(settings, "mixedSample(blueRow", "mixedSample(greenRow"),
    ] + (rounds ? [rounding] : [])
  }
}
