internal import SafelightGPU
internal import SafelightImage

/// A call of a histogram's kernel.
enum HistogramCall: PassCall {
  /// Counts, into numbers 0; values below a threshold are left out.
  case histogram(HistogramInfo, threshold: SIMD4<Float>)
  /// Counts over the picture's own range, into numbers 1; that range becomes the result.
  case normalized(HistogramInfo)
  /// A table 0 by numbers 0, in which pixels are looked up.
  case equalization(HistogramInfo, ImageHistogramEqualization.Rule, strength: Float, intensity: Float)
  /// A table 0 by numbers 0 and the desired numbers 2.
  case specification(HistogramInfo)

  /// Returns a recorder of the passes for a texture.
  func recorder(for source: Texture, pipeline: PipelineKind = .automatic, _ buffer: CommandBuffer) -> PassRecorder {
    let picture = PassPicture(source.pixelFormat.descriptor(source.size), source.pixelFormat)
    return PassRecorder(plan: checkedPlan(for: picture), pipeline: pipeline, call: text, buffer: buffer)
  }

  /// Returns the checked passes for a picture of a format that the kernel takes.
  func checkedPlan(for picture: PassPicture, variant: HistogramVariant = .automatic) -> PassPlan {
    let name = "\(words[0])"
    switch self {
    case .histogram(let info, let threshold):
      let least = Self.samples(threshold, of: picture.pixelFormat)
      let count = Pass.histogram(info, of: picture, sorting: nil, threshold: least, variant: variant, to: 0)
      return PassPlan(unlimited: [count], of: name, from: picture, to: [])
    case .normalized(let info):
      let format = ImageNormalizedHistogram.minmaxFormat(forSourceFormat: picture.pixelFormat)
      return PassPlan(
        unlimited: Pass.normalizedHistogram(info, of: picture, variant: variant), of: name, from: picture,
        to: [PassPicture(format.descriptor(Size(2, 1)), format)])
    case .equalization(let info, let rule, let strength, let intensity):
      let parts = EqualizationParts(strength: strength, intensity: intensity)
      let passes: [Pass] = [
        .histogram(info, of: picture), .equalization(info, rule, parts, of: picture, counts: 0),
        .equalized(info, picture),
      ]
      return PassPlan(unlimited: passes, of: name, from: picture, to: [picture])
    case .specification(let info):
      let passes: [Pass] = [
        .histogram(info, of: picture), .sums(info, of: picture, counts: 0, to: 1),
        .sums(info, of: picture, counts: 2, to: 3),
        .specification(info, of: picture, sums: 1, desired: .numbers("desired", 3)), .equalized(info, picture),
      ]
      let count = info.planes(for: picture.pixelFormat) * info.entries
      return PassPlan(
        unlimited: passes, of: name, from: picture, given: [.numbers(2): .init(words: count)], to: [picture])
    }
  }

  /// Returns the least samples, or keys of floats, that reach a threshold.
  private static func samples(_ threshold: SIMD4<Float>, of format: PixelFormat) -> SIMD4<UInt32> {
    var least = SIMD4<UInt32>.zero
    for channel in 0..<4 {
      let value = threshold[channel]
      trap(
        unless: !value.isNaN,
        "minPixelThresholdValue of channel \(channel) is not a number; use -Float.infinity to count all")
      if format.sampleKind == .float {
        least[channel] = FloatKey.key(notBelow: value)
      } else {
        // The product of 24 and 16 bits is exact. One above the maximum counts nothing.
        let sample = (Double(value) * Double(format.maximum)).rounded(.up)
        least[channel] = UInt32(max(0, min(sample, Double(format.maximum + 1))))
      }
    }
    return least
  }
}

// MARK: Captures

extension HistogramCall {
  var text: String { words.joined(separator: " ") }

  private var words: [String] {
    switch self {
    case .histogram(let info, let threshold): ["histogram"] + info.words + threshold.words
    case .normalized(let info): ["normalized-histogram"] + info.words
    case .equalization(let info, let rule, let strength, let intensity):
      ["equalization"] + info.words + [rule.rawValue, strength.word, intensity.word]
    case .specification(let info): ["specification"] + info.words
    }
  }

  init?(_ text: String) {
    let words = text.split(separator: " ").map(String.init)
    guard let name = words.first, let info = HistogramInfo(words: words.dropFirst().prefix(HistogramInfo.wordCount))
    else { return nil }
    let rest = words.dropFirst(1 + HistogramInfo.wordCount)
    switch (name, rest.count) {
    case ("histogram", 4):
      guard let threshold = SIMD4<Float>(words: rest), (0..<4).allSatisfy({ !threshold[$0].isNaN }) else { return nil }
      self = .histogram(info, threshold: threshold)
    case ("normalized-histogram", 0): self = .normalized(info)
    case ("equalization", 3):
      guard let rule = rest.first.flatMap({ ImageHistogramEqualization.Rule(rawValue: $0) }),
        let parts = SIMD4<Float>(words: rest.dropFirst() + ["0", "0"]), (0...1).contains(parts.x),
        (0...1).contains(parts.y)
      else { return nil }
      self = .equalization(info, rule, strength: parts.x, intensity: parts.y)
    case ("specification", 0): self = .specification(info)
    default: return nil
    }
  }

  func plan(for picture: PassPicture) -> PassPlan? { takes(picture.pixelFormat) ? checkedPlan(for: picture) : nil }

  private func takes(_ format: PixelFormat) -> Bool {
    switch self {
    case .histogram(let info, _), .normalized(let info): info.counts(format)
    case .equalization(let info, let rule, _, _):
      info.counts(format) && PixelFormat.pointFormats.contains(format)
        && rule.takes(entries: info.entries, sampleBits: format.depth.rawValue)
        && (rule == .ffmpeg) == (info.channels == .histeqLuma)
    case .specification(let info):
      info.counts(format) && PixelFormat.pointFormats.contains(format) && info.channels != .histeqLuma
    }
  }
}

extension HistogramInfo {
  /// The words of ``words``.
  fileprivate static let wordCount = 12

  fileprivate var words: [String] {
    ["\(entries)", channels.rawValue, pixels.rawValue, histogramForAlpha ? "alpha" : "opaque"]
      + minPixelValue.words + maxPixelValue.words
  }

  fileprivate init?(words: ArraySlice<String>) {
    let words = Array(words)
    guard words.count == Self.wordCount, let entries = Int(words[0]), Self.entryCounts.contains(entries),
      let channels = Channels(rawValue: words[1]), let pixels = CountedPixels(rawValue: words[2]),
      let low = SIMD4<Float>(words: words[4..<8]), let high = SIMD4<Float>(words: words[8..<12]),
      (0..<4).allSatisfy({ low[$0].isFinite && high[$0].isFinite && low[$0] < high[$0] })
    else { return nil }
    self.init(
      entries: entries, histogramForAlpha: words[3] == "alpha", minPixelValue: low, maxPixelValue: high,
      channels: channels, pixels: pixels)
  }

  /// True if pictures of `format` can be counted.
  fileprivate func counts(_ format: PixelFormat) -> Bool {
    guard format.isColor else { return false }
    if format.sampleKind == .float { return channels == .each }
    return format.bytesPerSample <= 2 && (0..<4).allSatisfy { minPixelValue[$0] >= 0 && maxPixelValue[$0] <= 1 }
  }
}

extension Float {
  /// The bits, in hexadecimal digits.
  fileprivate var word: String { String(bitPattern, radix: 16) }
}

extension SIMD4<Float> {
  fileprivate var words: [String] { (0..<4).map { self[$0].word } }

  fileprivate init?(words: some Collection<String>) {
    let values = words.compactMap { UInt32($0, radix: 16).map { Float(bitPattern: $0) } }
    guard values.count == 4 else { return nil }
    self.init(values[0], values[1], values[2], values[3])
  }
}
