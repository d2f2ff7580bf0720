internal import SafelightFrames
internal import SafelightImage
public import SafelightKernels

/// The words that every filter takes, unless it has a parameter of that name, which then is meant.
public enum FilterWords {
  /// The words, in the order of the canonical text.
  public static let parameters: [KernelParameter] = [
    KernelParameter(
      "region", "the rectangle in which it works, and counts; the rest of the frame stays as it is",
      .text(form: "a rectangle WxH+X+Y, such as 64x48+10+20", default: "")),
    KernelParameter(
      "mask", "a picture that says where it works: fully where white, not at all where black",
      .pictures(areSeveral: false, isRequired: false)),
    KernelParameter(
      "opacity", "how much of its effect is mixed in: 0 leaves the frame as it is", .number(range: 0...1, default: 1)),
    KernelParameter(
      "frames", "the frames on which it works; the others stay as they are",
      .text(form: "positions from 1, such as 100-200 or '1-10,20-40:2'", default: "")),
  ]

  /// Paragraphs on all of them for users.
  public static let discussion = """
    Every filter takes these words, unless it has a parameter of that name:

    \(parameters.map { "    \($0.name)=  \($0.summary); \($0.allowedValues)" }.joined(separator: "\n"))

    blur=9:mask=mask.png, invert=opacity=0.5, gamma=1.4:frames=50-120: the first setting follows an equals sign, others
    a colon. Positions count frames from 1, whatever the numbers in their names. A filter that looks around a pixel,
    such as blur, sees what lies beyond its region. Filters that make another size, other channels or another meaning of
    samples take none of these words. With a sample s of the frame, r of the filter's result and m of the mask, and
    k = opacity in 65536ths,

        out = floor((k * r + (65536 - k) * s + 32768) / 65536)            without a mask
        out = floor((w * r + (65535 - w) * s + 32767) / 65535)            with one
        w = floor((k * m * (65535 / maximum) + 32768) / 65536)

    which is the nearest to the mixture by k, or by m / maximum. All channels are mixed as they are stored. A mask has
    the frames' size; of colors it is the luma (bt709), and what is transparent is black. One picture serves all frames,
    a folder or a pattern goes with them by position. In blend and over, opacity multiplies the picture's alpha.

    A number may change over time: gamma='1@1 1.4@48 1@96' is 1 at position 1, rises evenly to 1.4 at position 48, and
    falls to 1 at position 96, where it stays; between two positions it is rounded to the nearest 65536th. Numbers that
    change the size of the picture, or how far a filter looks around a pixel, cannot: let opacity change instead, as in
    blur=9:opacity='0@1 1@24'.
    """
}

extension FilterWords {
  /// Calls that together reach every branch of the functions that words add; masks come from whoever encodes them.
  package static let examples = [
    "invert=mask=MASK.png", "invert=opacity=0.3", "blur=1:region=9x7-2-3:mask=MASK.png:opacity=0.7",
    "stretch=region=12x9+0+0:opacity=0.4", "equalize=region=40x5-3+0:mask=MASK.png",
    "redact=pixelate:region=9x9+0+0:block=4:opacity=0.5", "over=x=3:y=-1:mask=MASK.png",
    "saturation=2@1 0.3@33:opacity=1@1 0@20", "mean=region=5x9+0+0",
  ]
}

extension FilterDescription {
  /// The words that every filter takes, but for those that are parameters of this one.
  public var words: [KernelParameter] { FilterWords.parameters.filter { parameter($0.name) == nil } }
}

extension FilterCall {
  /// True if a word or a value over time says how the kernel's result stays.
  var isApplied: Bool { words.contains { $0.name != "frames" } || !series.isEmpty }

  /// The values over time of the filter's own numbers.
  var series: [ValueSeries] { arguments.compactMap(\.value.series) }

  /// Checks that values over time begin among the frames up to the index `last`.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput`.
  func checkSeries(upTo last: Int) throws(SafelightError) {
    for argument in arguments + words {
      guard let first = argument.value.series?.indices.first, first > last else { continue }
      throw SafelightError(
        .missingInput, "\(name)=\(argument.name)=\(argument.value)",
        why:
          "it begins at position \(first + 1), and \(last == 0 ? "there is 1 frame" : "there are \(last + 1) frames")",
        remedy: "choose from 1 to \(last + 1): positions count frames, whatever the numbers in names")
    }
  }

  /// The path of the mask; nil for none.
  package var mask: String? { text("mask") }

  /// The frames on which the filter works; nil for all.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for a text that names no positions.
  var frames: FrameSelection? {
    get throws {
      try text("frames").map { text in
        do {
          return try FrameSelection(text)
        } catch let error as SafelightError {
          throw SafelightError(error.kind, "\(name)=frames=\(text)", why: error.why, remedy: error.remedy)
        }
      }
    }
  }

  /// Returns the kernel, which is prepared, with the words of the call; `kernel` returns that for the frame at an
  /// index.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for words that contradict it.
  func applied(
    _ prepared: any PassKernel, _ kernel: @escaping @Sendable (Int) -> any PassKernel
  ) throws(SafelightError) -> AppliedKernel {
    guard isApplied else { return AppliedKernel(prepared) }
    var applied = AppliedKernel(prepared, call: description)
    if let region = text("region") { try applied.keep(region) }
    applied.isMasked = mask != nil
    let opacity = words.first { $0.name == "opacity" }?.value
    if let opacity { applied.opacity = opacity }
    let varied = arguments.filter { $0.value.series != nil }
    let series = (varied.map(\.value) + [opacity].compactMap { $0 }).compactMap(\.series)
    if !series.isEmpty { try applied.vary(varied.map(\.name), by: series, kernel) }
    return applied
  }

  /// The text of a word; nil if the call has none.
  private func text(_ word: String) -> String? {
    if case .text(let text) = words.first(where: { $0.name == word })?.value, !text.isEmpty { text } else { nil }
  }
}
