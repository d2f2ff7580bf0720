internal import SafelightGPU
internal import SafelightImage
package import SafelightKernels

/// `equalize`: ``ImageHistogramEqualization`` by the histogram of the picture itself, or of a film's last pictures.
package struct EqualizeFilter: PassKernel, Equatable {
  package enum Channels: String, Sendable, CaseIterable {
    case auto, each, luma
  }

  package var rule = ImageHistogramEqualization.Rule.normalizedSum
  package var channels = Channels.auto
  package var counts = CountedPixels.visible
  /// The number of frames, or of seconds if an `s` follows.
  package var smooth = "1"
  package var rate = 24.0
  package var cut = 0.3
  package var strength = 0.2
  package var intensity = 0.21
  /// The path of a file of tables for the whole sequence; empty if the pictures' own histograms serve.
  package var table = ""

  package init() {}

  package static let card = KernelCard<Self>(
    "equalize", "spreads the values of the picture evenly (histogram equalization)",
    discussion: """
      A look-up table is made from the picture's own histogram, one entry for every sample value (256 or 65536), so
      nothing is lost. Alpha stays. Per channel, h(i) counts the pixels of value i, C(i) those up to value i, N all;
      maximum is 255 or 65535; fl() rounds to a 32-bit float, nearest() to a whole number, halves to even.

      normalized-sum, 8 and 16 bits, a picture of one value becomes the maximum:
          table(i) = floor((2 * maximum * C(i) + N) / (2 * N))
      opencv, 8 bits, f the first value there is, a picture of one value stays:
          table(i) = nearest(fl(fl(C(i) - h(f)) * fl(255 / fl(N - h(f)))))
      pillow, 8 bits, l the last value there is, a picture stays if step is 0:
          step     = floor((N - h(l)) / 255)
          table(i) = min(255, floor((floor(step / 2) + C(i) - h(i)) / step))
      libvips, 8 and 16 bits, a picture of one value becomes top or, if the product rounds downward, one less:
          top      = 255; in 16 bits the greatest value of all channels
          table(i) = floor(fl(fl(C(i)) * fl(top / N)))

      The last three give the bytes of OpenCV's equalizeHist, Pillow's ImageOps.equalize and libvips' hist_equal, on
      every device. opencv and pillow refuse pictures of 16 bits, as their programs do.

      ffmpeg gives those of ffmpeg's histeq=strength:intensity:antibanding=none, 8 bits, of the histogram of the luma
      Y = (55*R + 182*G + 19*B) >> 8, that of a gray picture being its sample. With s = trunc(1000 * strength) and
      t = trunc(1000 * intensity) in 32-bit floats, and trunc() dropping what remains:
          L(x) = trunc(s * floor(t * C(x) / N) / 255) + trunc((255 - s) * x / 255)
      A pixel whose greatest color is m becomes black if Y = 0, floor(v * 255 / m) if m * L(Y) / Y > 255, and
      else the lowest 8 bits of floor((v * L(Y) modulo 2^32) / Y). Above a strength of 0.255 levels may be below 0, and
      colors jump, as in ffmpeg. Its antibanding draws random numbers in the order of the pixels, and is left out.
      Alpha stays, whereas ffmpeg leaves the luma in it.

      With channels=luma, and by default with the rule normalized-sum, the luma
      Y = (19595*R + 38470*G + 7471*B + 32768) >> 16 of BT.601 is equalized by the rule and the chroma kept:
      d = table(Y) - Y, and R, G, B become clamp(v + d, 0, maximum).

      Pixels of alpha 0 are not counted where alpha is straight, unless counts=all; if there are no others, the picture
      stays as it is. The rules of other programs count all pixels, as those programs do, whatever counts says.

      With smooth the table of a frame is made from the sum of the histograms of the last n frames, its own included,
      so that a film does not flicker: smooth=24 sums 24 frames, smooth=0.5s half a second of rate frames each, rounded;
      1 to 240 frames. The sum begins anew at a scene cut, where

          sum of |g(i) - g'(i)| > cut * (N + N') * planes

      with g and g' the counts of this frame and the one before in 64 groups of neighboring values, N and N' the pixels
      counted; cut in 1/65536.
      Frames of another size or depth, and those after a frame that cannot be read, begin anew too.

      With table nothing is counted: the tables are those that safelight merge made, by the rule normalized-sum, of the
      histograms of a whole sequence, of a shot, or of the frames around each (safelight analyze counts them, on as many
      machines as there are). A frame's table is that of its place in the sequence.
      """,
    [
      .choice("rule", "how counts become a table", \.rule), .choice("channels", "what is equalized", \.channels),
      .choice("counts", "the pixels that are counted by the rule normalized-sum", \.counts),
      .text("smooth", "the length of film whose histograms are summed for one table", \.smooth, form: smoothForm),
      .number("rate", "frames a second, if smooth is in seconds", \.rate, in: 1...240),
      .number(
        "cut", "the part of the samples that must move to another group of values to begin a new scene", \.cut,
        in: 0...1),
      .number("strength", "with rule=ffmpeg, how much of the levels comes from the histogram", \.strength, in: 0...1),
      .number("intensity", "with rule=ffmpeg, how bright the picture becomes", \.intensity, in: 0...1),
      .file(
        "table", "tables made beforehand of the whole sequence, in place of each picture's own", \.table,
        form: "what safelight merge wrote", isRequired: false),
    ],
    examples: [
      "equalize", "equalize=channels=each", "equalize=counts=all", "equalize=rule=opencv", "equalize=rule=pillow",
      "equalize=rule=libvips",
      "equalize=rule=libvips:channels=luma", "equalize=smooth=3", "equalize=rule=ffmpeg",
      "equalize=rule=ffmpeg:strength=0.5:intensity=0.8", "equalize=rule=ffmpeg:strength=1:intensity=0.1:smooth=2",
    ])

  package static let formats = PixelFormat.pointFormats

  package func check() throws(SafelightError) {
    _ = try smoothing
    let usual = Self()
    var tableAlone = usual
    tableAlone.table = table
    try ensure(
      table.isEmpty || self == tableAlone, .usage, "equalize=table=\(table)",
      why: "the tables are made already, so no other parameter has an effect",
      remedy: "leave the others out, or give them to safelight analyze and merge")
    for (name, value, usualValue) in [("cut", cut, usual.cut), ("rate", rate, usual.rate)] {
      try ensure(
        smooth != usual.smooth || value == usualValue, .usage, "equalize=\(name)=\(ParameterValue.number(value))",
        why: "it is for a table of several frames, and each frame has its own",
        remedy: "add smooth=24, or leave it out")
    }
    try ensure(
      rule != .ffmpeg || channels == .auto, .usage, "equalize=rule=ffmpeg:channels=\(channels.rawValue)",
      why: "the rule ffmpeg always equalizes the luma that ffmpeg's histeq computes", remedy: "leave out channels")
    let parts = [("strength", strength, usual.strength), ("intensity", intensity, usual.intensity)]
    for (name, value, usualValue) in parts {
      try ensure(
        rule == .ffmpeg || value == usualValue, .usage,
        "equalize=rule=\(rule.rawValue):\(name)=\(ParameterValue.number(value))",
        why: "the rule \(rule.rawValue) has no \(name)", remedy: "leave out \(name), or use rule=ffmpeg")
    }
  }

  package func check(_ image: ImageDescriptor) throws(SafelightError) {
    try rule.check(image.depth)
    try film?.check(image.size)
  }

  package func makeStage(on device: Device, pipeline: PipelineKind) throws -> any ImageStage {
    if !table.isEmpty { return try SequenceTableStage(SequenceTables(reading: table), on: device, pipeline: pipeline) }
    return try prepared().makePassStage(on: device, pipeline: pipeline)
  }

  package var history: Int { (film?.length ?? 1) - 1 }

  package func passes(for picture: PassPicture) -> [Pass] {
    let info = HistogramInfo.complete(picture.image.depth, channels: counted, pixels: pixels)
    let parts = EqualizationParts(strength: Float(strength), intensity: Float(intensity))
    let counts = film == nil ? 0 : TemporalHistogram.sum
    return [.histogram(info, of: picture)]
      + (film?.passes(planes: info.planes(for: picture.pixelFormat), entries: info.entries) ?? [])
      + [.equalization(info, rule, parts, of: picture, counts: counts), .equalized(info, picture)]
  }

  private var pixels: CountedPixels { rule == .normalizedSum ? counts : .all }

  private var counted: HistogramInfo.Channels {
    switch (rule, channels) {
    case (.ffmpeg, _): .histeqLuma
    case (.normalizedSum, .auto), (_, .luma): .luma
    case (_, .auto), (_, .each): .each
    }
  }

  private static let smoothForm = "a number of frames such as 24, or of seconds such as 0.5s with rate=24"

  /// The sum of a film's histograms; nil if each frame has its own.
  private var film: TemporalHistogram? {
    guard let length = try? smoothing, length > 1 else { return nil }
    return TemporalHistogram(length: length, cut: cut)
  }

  /// The number of frames that ``smooth`` and ``rate`` stand for.
  private var smoothing: Int {
    get throws(SafelightError) {
      func refused(_ why: String) -> SafelightError {
        SafelightError(
          .usage, "equalize=smooth=\(smooth)", why: why,
          remedy: "write, for example, equalize=smooth=24, or equalize=smooth=1s:rate=24 for a second of 24 frames")
      }
      let isSeconds = smooth.hasSuffix("s")
      let digits = isSeconds ? String(smooth.dropLast()) : smooth
      guard digits.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }), let number = Double(digits),
        isSeconds || number == number.rounded()
      else { throw refused("smooth must be \(Self.smoothForm)") }
      let frames = (isSeconds ? number * rate : number).rounded()
      let lengths = 1...TemporalHistogram.lengths.upperBound
      guard frames >= Double(lengths.lowerBound), frames <= Double(lengths.upperBound) else {
        throw refused(
          "that is \(ParameterValue.number(frames)) frames; \(lengths.lowerBound) to \(lengths.upperBound) are possible"
        )
      }
      return Int(frames)
    }
  }
}

/// Looks each frame up in the table of its place in the sequence.
private final class SequenceTableStage: ImageStage {
  private let tables: SequenceTables
  private let equalization: ImageHistogramEqualization
  private let pipeline: PipelineKind
  init(_ tables: SequenceTables, on device: Device, pipeline: PipelineKind) {
    self.tables = tables
    self.pipeline = pipeline
    equalization = ImageHistogramEqualization(
      device: device, info: .complete(tables.depth, channels: tables.channels.counted))
  }

  var isPointwise: Bool { true }
  var dependsOnPosition: Bool { tables.count > 1 }

  func input(for frame: FrameIdentity, like image: ImageDescriptor) throws(SafelightError) -> StageInput? {
    guard frame.position != nil || tables.count == 1 else {
      throw refused("its tables are of the frames of a sequence, and this picture stands alone")
    }
    let position = frame.position ?? 0
    guard position < tables.frames else {
      throw refused("it is of a sequence of \(tables.frames) frames, and this is frame \(position + 1)")
    }
    return .table(try tables.table(of: position))
  }

  func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor {
    guard image.depth == tables.depth else {
      throw refused("its tables are of \(tables.depth.rawValue) bits, and the picture is of \(image.depth.rawValue)")
    }
    let isGray = tables.planes == 1
    guard tables.channels == .luma || image.channels.isGray == isGray else {
      throw refused(
        "its tables are of \(isGray ? "gray" : "color"), and the picture is of \(isGray ? "color" : "gray")")
    }
    return image
  }

  private func refused(_ why: String) -> SafelightError {
    SafelightError(
      .unsupported, "equalize=table=\(tables.path)", why: why,
      remedy: "analyze the frames of this sequence with safelight analyze, and merge what it counted")
  }

  func encode(to buffer: CommandBuffer, source: TiledTexture, input: StageInput?, destination: TiledTexture) {
    guard let first = source.tiles.first, case .table(var table) = input else { return }
    // Gray with alpha lies in textures as three equal colors.
    let planes = equalization.info.planes(for: source.pixelFormat)
    if planes > tables.planes { table = [[UInt16]](repeating: table, count: planes).flatMap { $0 } }
    equalization.encode(table, to: buffer, source: first.texture)
    for (from, to) in zip(source.tiles, destination.tiles) {
      equalization.encode(to: buffer, source: from.texture, destination: to.texture, pipeline: pipeline)
    }
  }
}

extension EqualizeFilter.Channels: ParameterWord {
  package static let words: [(value: Self, word: String, summary: String)] = [
    (.auto, "luma, or what the other program does if its rule is chosen"),
    (.each, "red, green and blue, each by its own histogram, which shifts colors"),
    (.luma, "the luma; colors keep their chroma"),
  ].map { ($0, $0.rawValue, $1) }
}

extension ImageHistogramEqualization.Rule: ParameterWord {
  /// The choices, by their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.normalizedSum, "the normalized inclusive sum, rounded half up"),
    (.openCV, "as OpenCV's equalizeHist, 8 bits"), (.pillow, "as Pillow's ImageOps.equalize, 8 bits"),
    (.libvips, "as libvips' hist_equal"), (.ffmpeg, "as ffmpeg's histeq with antibanding=none, 8 bits"),
  ].map { ($0, $0.rawValue, $1) }
}
