import SafelightImage

/// What the samples of a track are, from ffmpeg's own description of its pixel formats.
struct TrackSamples: Hashable, CustomStringConvertible {
  /// ffmpeg's name: `yuv420p10le`.
  let name: String
  /// Bits in the widest sample.
  let bits: Int
  let isRGB: Bool
  let isGray: Bool
  let hasAlpha: Bool
  /// 2 where chroma has half the width, or half the height.
  let chromaStep: (x: Int, y: Int)

  /// As messages call them: `it holds floats of 32 bits (gbrpf32le)`.
  var description: String {
    let isFloat = ["f32", "f16"].contains { name.contains($0) }
    return isFloat ? "it holds floats of \(bits) bits (\(name))" : "its samples are \(name)"
  }

  var isYCbCr: Bool { !isRGB && !isGray }

  static func == (left: TrackSamples, right: TrackSamples) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }

  init(_ listing: FlatListing, format: String, name input: String) throws(SafelightError) {
    var index = 0
    while let name = listing["pixel_formats.pixel_format.\(index).name"], name != format { index += 1 }
    func number(_ key: String) -> Int? { listing.number("pixel_formats.pixel_format.\(index).\(key)") }
    guard let components = number("nb_components"), let bits = number("components.component.0.bit_depth") else {
      throw SafelightError(
        .unsupported, input, why: "ffprobe does not say what pixels of \(format) are", remedy: "convert it with ffmpeg")
    }
    let isPalette = number("flags.palette") == 1
    self.name = format
    self.bits = isPalette ? 8 : max(bits, number("components.component.1.bit_depth") ?? 0)
    self.hasAlpha = number("flags.alpha") == 1
    self.isRGB = number("flags.rgb") == 1 || isPalette
    self.isGray = !isRGB && components <= 2
    self.chromaStep = (1 << (number("log2_chroma_w") ?? 0), 1 << (number("log2_chroma_h") ?? 0))
  }

  /// Why `layout` would lose some of it; nil where it would not.
  func loss(in layout: PixelLayout) -> String? {
    if let step = layout.yCbCr?.subsampling.step {
      guard isYCbCr else { return "its \(isGray ? "grey" : "red, green and blue") would have to be made into chroma" }
      guard chromaStep.x >= step.width, chromaStep.y >= step.height else {
        return "some of its chroma would be left out"
      }
      guard chromaStep == (step.width, step.height) else { return "some of its chroma would have to be made up" }
    }
    if bits > layout.bits { return "\(bits) bits do not fit into \(layout.bits)" }
    if layout.isGray, !isGray { return "its colors would be left out" }
    return hasAlpha && !layout.hasAlpha ? "its alpha would be left out" : nil
  }

  /// The layout nearest to how a track of `size` is stored that is `turned` upright; red, green, blue and alpha where
  /// frames have none such.
  ///
  /// Chroma that pixels share does not go through a turn where columns share it and rows do not, or where the last of
  /// them
  /// has it for itself, which would become the first.
  func storedLayout(of size: Size, turned turn: Orientation) -> PixelLayout {
    let steps = Size(chromaStep.x, chromaStep.y)
    let isEven = size.width.isMultiple(of: steps.width) && size.height.isMultiple(of: steps.height)
    let keepsChroma = turn == .up || isEven && (!turn.exchangesAxes || steps.width == steps.height)
    let planar = PixelLayout.allCases.first { layout in
      guard let planes = layout.yCbCr else { return false }
      return !planes.isBiPlanar && planes.subsampling.step == steps && planes.bits >= bits
    }
    if isYCbCr, !hasAlpha, keepsChroma, let planar { return planar }
    return [.gray8, .gray16, .rgba8].first { loss(in: $0) == nil } ?? .rgba16
  }

  /// A layout that loses nothing; nil where none does.
  var suitableLayout: PixelLayout? {
    let layouts: [PixelLayout] = isGray ? [.gray8, .gray16, .rgba8, .rgba16] : [.bgra8, .rgba16]
    return layouts.first { loss(in: $0) == nil }
  }
}
