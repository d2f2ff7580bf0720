internal import SafelightImage
internal import SafelightKernels

extension FilterCatalogue {
  static let threshold = Entry(
    description: FilterDescription(
      name: "threshold",
      summary: "compares the grey of each pixel with a value",
      discussion: """
        Grey is the sample of a grey picture, and of others the luma, with the weights in 1/65536:

            v = (wr*R + wg*G + wb*B + 32768) >> 16
            t = floor(value * maximum + 2^-20),  h = floor(high * maximum + 1/2)

            binary           v > t ? h : 0
            binary-inverse   v > t ? 0 : h
            truncate         v > t ? t : v
            to-zero          v > t ? v : 0
            to-zero-inverse  v > t ? 0 : v

        Red, green and blue become the result alike. Alpha stays. As in Metal Performance Shaders and OpenCV, what equals the threshold is
        not above it; 2^-20 makes value=0.49803922, which is 127/255 in 8 digits, the sample 127.
        """,
      parameters: [
        FilterParameter("value", "the threshold, 1 is white", .number(range: 0...1, default: 0.5)),
        FilterParameter(
          "operation", "what the comparison makes",
          .choice(
            [
              FilterChoice("binary", "high above, else black"),
              FilterChoice("binary-inverse", "black above, else high"),
              FilterChoice("truncate", "the threshold above, else grey as it is"),
              FilterChoice("to-zero", "grey as it is above, else black"),
              FilterChoice("to-zero-inverse", "black above, else grey as it is"),
            ], default: "binary")),
        FilterParameter("high", "what binary and its inverse make", .number(range: 0...1, default: 1)),
        lumaWeights,
      ]),
    examples: [
      "threshold=0.5", "threshold=0.4:operation=binary-inverse:high=0.8", "threshold=0.6:operation=truncate",
      "threshold=0.3:operation=to-zero:weights=bt709", "threshold=0.7:operation=to-zero-inverse",
    ],
    formats: PixelFormat.pointFormats.filter { $0.samplesPerPixel != 2 },
    make: { call, device, form in
      guard let operation = ImageThreshold.Operation(rawValue: call.choice("operation")) else {
        trap("operation '\(call.choice("operation"))' is described but does not exist; add its case")
      }
      let kernel = ImageThreshold(
        device: device, operation: operation, threshold: call.number("value"), high: call.number("high"),
        weights: weights(of: call))
      return PointFilter { kernel.encode(to: $0, source: $1, destination: $2, form: form) }
    })
}
