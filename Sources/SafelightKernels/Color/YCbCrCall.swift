internal import SafelightGPU
internal import SafelightImage

/// A call of ``ImageYCbCrToRGB``, whose picture is the plane of luma, or of ``ImageRGBToYCbCr``.
struct YCbCrCall: PassCall {
  enum Direction: Hashable {
    /// With the alpha of a picture of a format, or opaque, to a picture of another.
    case decoding(alpha: PixelFormat?, PixelFormat)
    /// To planes of integers or normalized ones.
    case encoding(isNormalized: Bool)
  }

  let layout: PixelLayout
  let color: ColorDescription
  let direction: Direction

  init(_ layout: PixelLayout, _ color: ColorDescription, _ direction: Direction) {
    (self.layout, self.color, self.direction) = (layout, color, direction)
  }

  /// Returns the checked passes for a picture, or a plane of luma, that goes with the layout.
  func plan(for picture: PassPicture, _ coding: YCbCrCoding) -> PassPlan {
    let formats = layout.planeFormats
    func format(_ format: PixelFormat, isNormalized: Bool) -> PixelFormat {
      isNormalized ? [.r16Uint: .r16Unorm, .rg16Uint: .rg16Unorm][format] ?? format : format
    }
    switch direction {
    case .decoding(let alpha, let made):
      let isNormalized = picture.pixelFormat.sampleKind == .normalized
      var given: [Pass.Resource: PassPlan.Shape] = [:]
      for index in formats.indices.dropFirst() {
        given[.further(index - 1)] = PassPlan.Shape(
          size: layout.planeSize(index, of: picture.size),
          pixelFormat: format(formats[index], isNormalized: isNormalized))
      }
      let last = Pass.Resource.further(formats.count - 1)
      if let alpha { given[last] = PassPlan.Shape(size: picture.size, pixelFormat: alpha) }
      let planes = [Pass.Resource.picture] + (1..<formats.count).map { .further($0 - 1) }
      return PassPlan(
        unlimited: [.decoding(coding, planes, alpha: alpha == nil ? nil : last)], of: "Y'CbCr to RGB", from: picture,
        given: given, to: [PassPicture(made.descriptor(picture.size), made)])
    case .encoding(let isNormalized):
      let results = formats.indices.map { index in
        let format = format(formats[index], isNormalized: isNormalized)
        return PassPicture(format.descriptor(layout.planeSize(index, of: picture.size)), format)
      }
      return PassPlan(
        unlimited: Pass.encoding(coding, of: picture.pixelFormat, to: formats.indices.map { .result($0) }),
        of: "RGB to Y'CbCr", from: picture, to: results)
    }
  }
}

// MARK: Captures

extension YCbCrCall {
  var text: String {
    let meaning = "\(layout.rawValue) \(color.matrix.rawValue) \(color.range.rawValue) \(color.siting.rawValue)"
    return switch direction {
    case .decoding(let alpha, let made): "ycbcr-to-rgb \(meaning) \(alpha?.rawValue ?? "opaque") \(made.rawValue)"
    case .encoding(let isNormalized): "rgb-to-ycbcr \(meaning) \(isNormalized ? "normalized" : "integer")"
    }
  }

  init?(_ text: String) {
    let words = text.split(separator: " ").map(String.init)
    guard words.count > 5, let layout = PixelLayout(rawValue: words[1]), let matrix = ColorMatrix(rawValue: words[2]),
      let range = ColorRange(rawValue: words[3]), let siting = ChromaSiting(rawValue: words[4])
    else { return nil }
    let color = ColorDescription(matrix: matrix, range: range, siting: siting)
    switch (words[0], words.count) {
    case ("ycbcr-to-rgb", 7):
      let alpha = PixelFormat(rawValue: words[5])
      guard let made = PixelFormat(rawValue: words[6]), alpha != nil || words[5] == "opaque" else { return nil }
      self.init(layout, color, .decoding(alpha: alpha, made))
    case ("rgb-to-ycbcr", 6): self.init(layout, color, .encoding(isNormalized: words[5] == "normalized"))
    default: return nil
    }
  }

  func plan(for picture: PassPicture) -> PassPlan? {
    guard let coding = try? YCbCrCoding(layout, color) else { return nil }
    func isPicture(_ format: PixelFormat) -> Bool {
      PixelFormat.pictureFormats.contains(format) && format.depth == layout.depth
    }
    switch direction {
    case .decoding(let alpha, let made):
      let luma = picture.pixelFormat
      guard isPicture(made), isPicture(luma), luma.samplesPerPixel == 1,
        alpha.map({ isPicture($0) && $0.samplesPerPixel == 4 }) ?? true
      else { return nil }
    case .encoding: guard isPicture(picture.pixelFormat), coding.chromaWeights != nil else { return nil }
    }
    return plan(for: picture, coding)
  }
}
