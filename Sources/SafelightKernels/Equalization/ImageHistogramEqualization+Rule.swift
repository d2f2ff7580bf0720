public import SafelightImage

extension ImageHistogramEqualization {
  /// How counts become a look-up table: Apple's, as far as it is known, or that of another program, to the byte.
  ///
  /// Of one plane, `h` are its counts, `C(i)` is their sum up to entry `i` and `N` the sum of all; `fl` rounds to a float of
  /// 32 bits. The rules of programs need a histogram with an entry for every value. An empty histogram leaves a plane as it is.
  public enum Rule: String, Sendable, CaseIterable {
    /// The normalized inclusive sum of vImage, rounded half up, for any histogram of 8 or 16 bits:
    /// `floor((2 · maximum · C(i) + N) / (2 · N))`. A picture of one value becomes the maximum.
    case normalizedSum = "normalized-sum"
    /// OpenCV's `equalizeHist`, 8 bits: `nearest(fl(fl(C(i) − h(f)) · fl(255 / fl(N − h(f)))))`, halves to even, with `f` the
    /// first entry that counts. A picture of one value stays as it is.
    case openCV = "opencv"
    /// Pillow's `ImageOps.equalize`, 8 bits: `min(255, floor((floor(step / 2) + C(i) − h(i)) / step))` with
    /// `step = floor((N − h(l)) / 255)` and `l` the last entry that counts. A picture stays as it is where `step` is 0.
    case pillow
    /// libvips' `hist_equal`: `floor(fl(fl(C(i)) · fl(top / N)))`. In 8 bits `top` is 255, in 16 bits the greatest value of all
    /// planes. A picture of one value becomes `top` or, where the product rounds downward, one less.
    case libvips
    /// ffmpeg's `histeq=strength:intensity:antibanding=none`, 8 bits, of the histogram of ``HistogramInfo/Channels/histeqLuma``. With
    /// `s` and `t` strength and intensity in 1/1000, and divisions that drop what remains:
    ///
    ///     L(x) = s · (t · C(x) / N) / 255 + (255 − s) · x / 255
    ///
    /// A pixel of luma `Y` whose greatest color is `m` becomes black where `Y` is 0, `v · 255 / m` where `m · L(Y) / Y`
    /// is above 255, and else the lowest 8 bits of `(v · L(Y) mod 2³²) / Y`: above 0.255 the strength makes levels
    /// below 0, and ffmpeg goes on with them so. Alpha stays, where ffmpeg leaves its luma there.
    case ffmpeg

    /// The depths that the rule's program has it for.
    public var depths: [SampleDepth] {
      switch self {
      case .normalizedSum, .libvips: SampleDepth.allCases
      case .openCV, .pillow, .ffmpeg: [.bits8]
      }
    }

    /// The function of the program that the rule reproduces.
    var origin: String {
      switch self {
      case .normalizedSum: "vImage's histogram equalization"
      case .openCV: "OpenCV's equalizeHist"
      case .pillow: "Pillow's ImageOps.equalize"
      case .libvips: "libvips' hist_equal"
      case .ffmpeg: "ffmpeg's histeq"
      }
    }

    /// Throws where the rule is not defined for pictures of `depth`.
    ///
    /// - Throws: ``SafelightError`` of kind `unsupported` that names the rules that are.
    public func check(_ depth: SampleDepth) throws(SafelightError) {
      if depths.contains(depth) { return }
      let others = Self.allCases.filter { $0.depths.contains(depth) }.map(\.rawValue)
      throw SafelightError(
        .unsupported, "equalization rule '\(rawValue)'",
        why: "it is \(origin), which takes no pictures of \(depth.rawValue) bits",
        remedy: "use the rule \(others.joined(separator: " or "))")
    }

    /// The rule's number in `equalization_rules.glsl`.
    var macro: Int {
      switch self {
      case .normalizedSum: 0
      case .openCV: 1
      case .pillow: 2
      case .libvips: 3
      case .ffmpeg: 4
      }
    }

    /// Whether the rule takes histograms of `entries` for samples of so many bits.
    func takes(entries: Int, sampleBits: Int) -> Bool {
      self == .normalizedSum || (entries == 1 << sampleBits && depths.contains { $0.rawValue == sampleBits })
    }
  }
}
