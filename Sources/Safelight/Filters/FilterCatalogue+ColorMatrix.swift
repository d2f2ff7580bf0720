internal import SafelightImage
internal import SafelightKernels

extension FilterCatalogue {
  /// Filters that are one matrix of colours.
  static let colorMatrices: [Entry] = [hue, whiteBalance, colorMatrix, channelMix, channelSwap]

  private static let formula = """
        out = clamp(floor((c.r*R + c.g*G + c.b*B + 32768) / 65536) + bias, 0, maximum)

    with coefficients in 1/65536, of which the largest of a row takes what rounding leaves of the row's sum. Alpha stays.
    """

  private static let hue = Entry(
    description: FilterDescription(
      name: "hue",
      summary: "turns hues about the grey axis; luma stays",
      discussion: """
        With w the luma's weights, s = sin(angle) / sqrt(3), c = cos(angle), and N the rows (0, -1, 1), (1, 0, -1),
        (-1, 1, 0), as in P. Haeberli, Matrix Operations for Image Processing, 1993, row i of the matrix is

            w + c * (unit(i) - w) + s * (N(i) - w * N)

        and then

        \(formula)
        Greys stay, and so does the luma of colours that are not cut at 0 or maximum. Red turns towards green. A grey
        picture stays as it is.
        """,
      parameters: [
        KernelParameter("angle", "degrees", .number(range: -360...360, default: 0)), lumaWeights,
      ]),
    examples: ["hue=30", "hue=angle=-100:weights=bt709"],
    make: { call, device, form in
      let vectors = ColorVectors(hueTurnedBy: call.number("angle"), weights: weights(of: call))
      return ColorMatrixFilter("hue", device: device, vectors, form: form)
    })

  private static let whiteBalance = Entry(
    description: FilterDescription(
      name: "white-balance",
      summary: "takes the colour of the light out of the picture",
      discussion: """
        W(T, tint) is the white of a light of T kelvins in linear sRGB (IEC 61966-2-1): the chromaticity of a glowing body
        by M. Krystek, Color Research & Application 10 (1985) 38-40, moved across that locus by tint / 3000 in CIE 1960 uv,
        with no part below 1/64. For each channel

            g    = (W(6504, 0) / W(T, tint)) ^ (1 / 2.2)
            gain = g / (0.2126 * g.red + 0.7152 * g.green + 0.0722 * g.blue) * the channel's own parameter
            out  = clamp((gain * v + 32768) >> 16, 0, maximum), gain in 1/65536

        A higher temperature says that the light was bluer, and makes the picture warmer; a tint above 0 says that it was
        greenish. Greys keep their BT.709 luma. Alpha stays. Grey pictures are refused unless all gains are the same, and
        so are pictures of limited range.
        """,
      parameters: [
        KernelParameter(
          "temperature", "the light's colour temperature in kelvins",
          .number(range: ColorVectors.temperatures, default: ColorVectors.neutralTemperature)),
        KernelParameter("tint", "how far the light was greenish", .number(range: ColorVectors.tints, default: 0)),
        KernelParameter("red", "a gain of red", .number(range: 0...2, default: 1)),
        KernelParameter("green", "a gain of green", .number(range: 0...2, default: 1)),
        KernelParameter("blue", "a gain of blue", .number(range: 0...2, default: 1)),
      ]),
    examples: ["white-balance=9000", "white-balance=temperature=3200:tint=-20:red=1.1"],
    make: { call, device, form in
      var vectors = ColorVectors(temperature: call.number("temperature"), tint: call.number("tint"))
      vectors.red *= call.number("red")
      vectors.green *= call.number("green")
      vectors.blue *= call.number("blue")
      return ColorMatrixFilter(
        "white-balance", device: device, vectors, form: form,
        meaning: { (color) throws(SafelightError) in try color.ofFullRange(for: "white-balance") })
    })

  private static let colorMatrix = Entry(
    description: FilterDescription(
      name: "color-matrix",
      summary: "mixes red, green and blue by a matrix of 3 rows and 4 columns",
      discussion: """
        Parameters are named after the new sample and what goes into it: rg is the part of green in the new red, and r1,
        g1 and b1 are added, 1 for white.

        \(formula)
        Grey pictures are refused unless all rows have the same sum and the same addend.
        """,
      parameters: rows(ColorVectors.coefficients)
        + ["r", "g", "b"].map {
          KernelParameter("\($0)1", "added to \($0)", .number(range: ColorVectors.coefficients, default: 0))
        }),
    examples: [
      "color-matrix=rr=0.393:rg=0.769:rb=0.189:gr=0.349:gg=0.686:gb=0.168:br=0.272:bg=0.534:bb=0.131",
      "color-matrix=rr=16:rg=-15.5:gb=-0.25:g1=0.1:bb=-1:b1=1", "color-matrix=rr=-1:gg=-1:bb=-1:r1=1:g1=1:b1=1",
    ],
    make: { call, device, form in
      var vectors = vectors(of: call)
      vectors.bias = SIMD3(call.number("r1"), call.number("g1"), call.number("b1"))
      return ColorMatrixFilter("color-matrix", device: device, vectors, form: form)
    })

  private static let channelMix = Entry(
    description: FilterDescription(
      name: "channel-mix",
      summary: "each channel as a mixture of the three, as a channel mixer has it",
      discussion: """
        Parameters are named after the new sample and what goes into it: rg is the part of green in the new red. With
        keep=white each row is divided by its sum, which must not be 0, so that greys stay.

        \(formula)
        Grey pictures are refused unless all rows have the same sum.
        """,
      parameters: rows(-2...2) + [
        KernelParameter(
          "keep", "what the mixture leaves as it is",
          .choice(
            [
              ParameterChoice("nothing", "rows as they are given"),
              ParameterChoice("white", "greys: rows have the sum 1"),
            ],
            default: "nothing"))
      ]),
    examples: ["channel-mix=rr=0.5:rg=0.7:rb=-0.2", "channel-mix=rg=1:gb=0.5:br=2:keep=white"],
    make: { call, device, form in
      var mixed = vectors(of: call)
      if call.choice("keep") == "white" {
        mixed.red = try whole(mixed.red, "red")
        mixed.green = try whole(mixed.green, "green")
        mixed.blue = try whole(mixed.blue, "blue")
      }
      return ColorMatrixFilter("channel-mix", device: device, mixed, form: form)
    })

  private static let channelSwap = Entry(
    description: FilterDescription(
      name: "channel-swap",
      summary: "exchanges red, green and blue",
      discussion: """
        order=bgr makes red of blue, green of green and blue of red. Samples stay as they are, and so does alpha; a grey
        picture stays as it is.
        """,
      parameters: [
        KernelParameter(
          "order", "where the new red, green and blue come from",
          .choice(
            ["rgb", "rbg", "grb", "gbr", "brg", "bgr"].map {
              ParameterChoice($0, $0.map { "\($0)" }.joined(separator: ", "))
            }, default: "bgr"))
      ]),
    examples: ["channel-swap", "channel-swap=gbr"],
    make: { call, device, form in
      let units = call.choice("order").map { letter in
        SIMD3(letter == "r" ? 1.0 : 0, letter == "g" ? 1 : 0, letter == "b" ? 1 : 0)
      }
      let vectors = ColorVectors(red: units[0], green: units[1], blue: units[2])
      return ColorMatrixFilter("channel-swap", device: device, vectors, form: form)
    })

  // MARK: Rows

  /// Nine parameters `rr`, `rg` … `bb`, 1 for a channel in itself.
  private static func rows(_ range: ClosedRange<Double>) -> [KernelParameter] {
    let names = [("r", "red"), ("g", "green"), ("b", "blue")]
    return names.flatMap { new in
      names.map { old in
        KernelParameter(
          new.0 + old.0, "\(old.1) in the new \(new.1)", .number(range: range, default: new == old ? 1 : 0))
      }
    }
  }

  private static func vectors(of call: FilterCall) -> ColorVectors {
    func row(_ new: String) -> SIMD3<Double> {
      SIMD3(call.number(new + "r"), call.number(new + "g"), call.number(new + "b"))
    }
    return ColorVectors(red: row("r"), green: row("g"), blue: row("b"))
  }

  /// The row with the sum 1.
  private static func whole(_ row: SIMD3<Double>, _ name: String) throws(SafelightError) -> SIMD3<Double> {
    let made = row / row.sum()
    guard (0..<3).allSatisfy({ ColorVectors.coefficients.contains(made[$0]) }) else {
      throw SafelightError(
        .usage, "filter 'channel-mix'",
        why: "the parts of the new \(name) have the sum \(row.sum()), too little to divide by",
        remedy: "give it other parts, or keep=nothing")
    }
    return made
  }
}
