internal import SafelightImage
internal import SafelightKernels

extension FilterCatalogue {
  static let equalize = Entry(
    description: FilterDescription(
      name: "equalize",
      summary: "spreads the values of the picture evenly (histogram equalization)",
      discussion: """
        A look-up table is made from the picture's own histogram, one entry for every sample value (256 or 65536), so
        nothing is lost. Alpha stays. Per channel, h(i) counts the pixels of value i, C(i) those up to value i, N all;
        maximum is 255 or 65535; fl() rounds to a 32-bit float, nearest() to a whole number, halves to even.

        normalized-sum, 8 and 16 bits, a picture of one value becomes the maximum:
            table(i) = floor((2 * maximum * C(i) + N) / (2 * N))
        opencv, 8 bits, f the first value there is, a picture of one value stays:
            table(i) = nearest(fl(fl(C(i) - h(f)) * fl(255 / fl(N - h(f)))))
        pillow, 8 bits, l the last value there is, a picture stays where step is 0:
            step     = floor((N - h(l)) / 255)
            table(i) = min(255, floor((floor(step / 2) + C(i) - h(i)) / step))
        libvips, 8 and 16 bits, a picture of one value becomes top or, where the product rounds downward, one less:
            top      = 255; in 16 bits the greatest value of all channels
            table(i) = floor(fl(fl(C(i)) * fl(top / N)))

        These three give the bytes of OpenCV's equalizeHist, Pillow's ImageOps.equalize and libvips' hist_equal, on
        every device. opencv and pillow refuse pictures of 16 bits, as their programs do.

        ffmpeg gives those of ffmpeg's histeq=strength:intensity:antibanding=none, 8 bits, of the histogram of the luma
        Y = (55*R + 182*G + 19*B) >> 8, that of a gray picture being its sample. With s = trunc(1000 * strength) and
        t = trunc(1000 * intensity) in 32-bit floats, and trunc() dropping what remains:
            L(x) = trunc(s * floor(t * C(x) / N) / 255) + trunc((255 - s) * x / 255)
        A pixel whose greatest color is m becomes black where Y = 0, floor(v * 255 / m) where m * L(Y) / Y > 255, and
        else the lowest 8 bits of floor((v * L(Y) modulo 2^32) / Y). Above a strength of 0.255 levels may be below 0, and
        colors jump, as in ffmpeg. Its antibanding draws random numbers in the order of the pixels, and is left out.
        Alpha stays, where ffmpeg leaves the luma in it.

        With channels=luma, and without a word of channels where the rule is normalized-sum, the luma
        Y = (19595*R + 38470*G + 7471*B + 32768) >> 16 of BT.601 is equalized by the rule and the chroma kept:
        d = table(Y) - Y, and R, G, B become clamp(v + d, 0, maximum).

        With smooth the table of a frame is made from the sum of the histograms of the last n frames, its own included,
        so that a film does not flicker: smooth=24 sums 24 frames, smooth=0.5s half a second of rate frames each, rounded;
        1 to 240 frames. The sum begins anew at a scene cut, where

            sum of |g(i) - g'(i)| > cut * 2 * N * planes

        with g and g' the counts of this frame and the one before in 64 groups of neighboring values; cut in 1/65536.
        Frames of another size or depth, and those behind a frame that cannot be read, begin anew too.
        """,
      parameters: [
        KernelParameter(
          "rule", "how counts become a table",
          .choice(
            [
              ParameterChoice("normalized-sum", "the normalized inclusive sum, rounded half up"),
              ParameterChoice("opencv", "as OpenCV's equalizeHist, 8 bits"),
              ParameterChoice("pillow", "as Pillow's ImageOps.equalize, 8 bits"),
              ParameterChoice("libvips", "as libvips' hist_equal"),
              ParameterChoice("ffmpeg", "as ffmpeg's histeq with antibanding=none, 8 bits"),
            ], default: "normalized-sum")),
        KernelParameter(
          "channels", "what is equalized",
          .choice(
            [
              ParameterChoice("auto", "luma, and with the rule of another program what that program does"),
              ParameterChoice("each", "red, green and blue, each by its own histogram, which shifts colors"),
              ParameterChoice("luma", "the luma; colors keep their chroma"),
            ], default: "auto")),
        KernelParameter(
          "smooth", "how long the film is whose histograms are summed for one table",
          .text(form: smoothForm, default: "1")),
        KernelParameter(
          "rate", "frames a second, where smooth is in seconds", .number(range: 1...240, default: 24)),
        KernelParameter(
          "cut", "the part of the samples that must change their group of values for a new scene to begin",
          .number(range: 0...1, default: 0.3)),
        KernelParameter(
          "strength", "with rule=ffmpeg, how much of the levels comes from the histogram",
          .number(range: 0...1, default: defaultStrength)),
        KernelParameter(
          "intensity", "with rule=ffmpeg, how bright the picture becomes",
          .number(range: 0...1, default: defaultIntensity)),
      ]),
    examples: [
      "equalize", "equalize=channels=each", "equalize=rule=opencv", "equalize=rule=pillow", "equalize=rule=libvips",
      "equalize=rule=libvips:channels=luma", "equalize=smooth=3", "equalize=rule=ffmpeg",
      "equalize=rule=ffmpeg:strength=0.5:intensity=0.8", "equalize=rule=ffmpeg:strength=1:intensity=0.1:smooth=2",
    ],
    make: { call, device, form in
      guard let rule = ImageHistogramEqualization.Rule(rawValue: call.choice("rule")) else {
        trap("rule '\(call.choice("rule"))' is described but does not exist; add its case")
      }
      return try EqualizeFilter(
        device: device, rule: rule, channels: channels(call, rule), strength: Float(call.number("strength")),
        intensity: Float(call.number("intensity")), smoothing: smoothing(call), form: form)
    })

  private static let defaultStrength = 0.2
  private static let defaultIntensity = 0.21

  /// What is counted for `rule`; throws where the call asks for what the rule has not.
  private static func channels(
    _ call: FilterCall, _ rule: ImageHistogramEqualization.Rule
  ) throws(SafelightError) -> HistogramInfo.Channels {
    let channels = call.choice("channels")
    if rule == .ffmpeg {
      if channels == "auto" { return .histeqLuma }
      throw SafelightError(
        .usage, "equalize=rule=ffmpeg:channels=\(channels)",
        why: "ffmpeg's histeq is of luma by itself, and of its own",
        remedy: "leave channels away")
    }
    for (name, usual) in [("strength", defaultStrength), ("intensity", defaultIntensity)]
    where call.number(name) != usual {
      throw SafelightError(
        .usage, "equalize=rule=\(rule.rawValue):\(name)=\(ParameterValue.number(call.number(name)))",
        why: "the rule \(rule.rawValue) knows no \(name)", remedy: "leave \(name) away, or use rule=ffmpeg")
    }
    let isOwn = rule == .normalizedSum
    return channels == "luma" || channels == "auto" && isOwn ? .luma : .each
  }

  private static let smoothForm = "a number of frames such as 24, or of seconds such as 0.5s with rate=24"

  /// The frames that `smooth` and `rate` mean.
  private static func smoothing(_ call: FilterCall) throws -> EqualizeFilter.Smoothing {
    let text = call.text("smooth")
    func refused(_ why: String) -> SafelightError {
      SafelightError(
        .usage, "equalize=smooth=\(text)", why: why,
        remedy: "for example equalize=smooth=24, or equalize=smooth=1s:rate=24 for a second of 24 frames")
    }
    let isSeconds = text.hasSuffix("s")
    let digits = isSeconds ? String(text.dropLast()) : text
    guard digits.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }), let number = Double(digits),
      isSeconds || number == number.rounded()
    else { throw refused("smooth must be \(smoothForm)") }
    let frames = (isSeconds ? number * call.number("rate") : number).rounded()
    let lengths = TemporalHistogram.lengths
    guard frames >= Double(lengths.lowerBound), frames <= Double(lengths.upperBound) else {
      throw refused(
        "that is \(ParameterValue.number(frames)) frames, and \(lengths.lowerBound) to \(lengths.upperBound) are summed"
      )
    }
    return EqualizeFilter.Smoothing(frames: Int(frames), cut: call.number("cut"))
  }
}
