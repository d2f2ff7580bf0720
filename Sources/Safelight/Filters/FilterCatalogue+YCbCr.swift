internal import SafelightImage
internal import SafelightKernels

extension FilterCatalogue {
  static let yCbCr = Entry(
    description: FilterDescription(
      name: "ycbcr",
      summary: "to Y'CbCr and back: what a video format leaves of the picture",
      discussion: """
        Planes by ITU-T H.273 with Kr and Kb of the matrix, coefficients c in 2^-19. To a plane, with r, g and b sums of
        sixteen weights: chroma on a column of pixels has that and its neighbors by 1 : 2 : 1, chroma between two has both
        alike; so for rows.

            out = clamp(floor((c.r*r + c.g*g + c.b*b + 2^22) / 2^23) + zero, 0, largest)

        and back, with y sixteen times the luma above black, b and r the sixteenths of chroma less its middle, weighted
        between the four nearest samples:

            out = clamp(floor((c.y*y + c.b*b + c.r*r + 2^22) / 2^23), 0, maximum)

        Grays become grays; alpha stays. Pictures of limited range are refused.
        """,
      parameters: [
        KernelParameter(
          "matrix", "how luma is weighted",
          .choice(
            [
              ParameterChoice("bt601", "Kr 0.299, Kb 0.114"), ParameterChoice("bt709", "Kr 0.2126, Kb 0.0722"),
              ParameterChoice("bt2020", "Kr 0.2627, Kb 0.0593, non-constant luminance"),
            ], default: "bt709")),
        KernelParameter(
          "range", "which samples are black and white",
          .choice(
            [
              ParameterChoice("limited", "16 and 235 of 8 bits, chroma from 16 to 240"),
              ParameterChoice("full", "0 and the largest"),
            ], default: "limited")),
        KernelParameter(
          "chroma", "pixels that share chroma",
          .choice(
            [
              ParameterChoice("420", "two by two"), ParameterChoice("422", "two beside each other"),
              ParameterChoice("444", "none"),
            ], default: "420")),
        KernelParameter(
          "siting", "where shared chroma lies",
          .choice(
            [
              ParameterChoice("left", "on the left column, between rows"), ParameterChoice("center", "in the middle"),
              ParameterChoice("topLeft", "on the left column and the upper row"),
            ], default: "left")),
        KernelParameter(
          "bits", "bits of the planes of 16-bit pictures; those of 8-bit pictures have 8",
          .choice([ParameterChoice("10", "ten"), ParameterChoice("16", "sixteen")], default: "10")),
        KernelParameter(
          "planes", "how chroma lies",
          .choice(
            [ParameterChoice("biplanar", "two planes, as NV12 and P010"), ParameterChoice("planar", "three planes")],
            default: "biplanar")),
      ]),
    examples: [
      "ycbcr", "ycbcr=bt601:range=full:chroma=422:siting=center:bits=16:planes=planar",
      "ycbcr=bt2020:siting=topLeft:planes=planar", "ycbcr=bt601:range=full:chroma=444:siting=center",
      "ycbcr=siting=center:bits=16",
    ],
    // Two channels are no picture.
    formats: PixelFormat.pointFormats.filter { $0.samplesPerPixel != 2 },
    forms: [.render],
    make: { call, device, _ in
      let color = ColorDescription(
        matrix: ColorMatrix(rawValue: call.choice("matrix")) ?? .unspecified,
        range: ColorRange(rawValue: call.choice("range")) ?? .unspecified,
        siting: ChromaSiting(rawValue: call.choice("siting")) ?? .unspecified)
      func layout(_ bits: Int) -> PixelLayout? {
        PixelLayout.allCases.first { layout in
          guard let planes = layout.yCbCr else { return false }
          let chroma = planes.subsampling.rawValue.filter { $0 != ":" }
          return planes.bits == bits && chroma == call.choice("chroma")
            && planes.isBiPlanar == (call.choice("planes") == "biplanar")
        }
      }
      var layouts: [SampleDepth: PixelLayout] = [:]
      layouts[.bits8] = layout(8)
      layouts[.bits16] = layout(call.choice("bits") == "10" ? 10 : 16)
      return try YCbCrFilter(device: device, layouts: layouts, color: color)
    })
}
