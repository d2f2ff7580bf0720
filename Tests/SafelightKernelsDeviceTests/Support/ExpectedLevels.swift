import SafelightImage

/// What ffmpeg's histeq makes of pictures, from its description; products are reduced modulo 2³² where ffmpeg's wrap.
struct ExpectedLevels {
  /// The level of each luma.
  let levels: [Int]

  /// For strength and intensity in 1/1000 and so many pixels of each luma.
  init(_ counts: [Int], strength: Int, intensity: Int) {
    let total = counts.reduce(0, +)
    levels = counts.indices.map { luma in
      if total == 0 { return luma }
      let share = counts[...luma].reduce(0, +) * intensity / total
      return strength * share / 255 + (255 - strength) * luma / 255
    }
  }

  static func luma(_ color: [Int]) -> Int { (color[0] * 55 + color[1] * 182 + color[2] * 19) / 256 }

  func made(of color: [Int]) -> [Int] {
    let luma = Self.luma(color)
    if luma == 0 { return [0, 0, 0] }
    let brightest = color.max() ?? 0
    if brightest * levels[luma] / luma > 255 { return color.map { $0 * 255 / brightest } }
    return color.map { sample in
      var product = sample * levels[luma]
      while product < 0 { product += 4_294_967_296 }
      return product / luma % 256
    }
  }

  /// The pixels of a picture, so many samples each, equalized with its own histogram; fewer than four are grey and what stays.
  static func equalized(_ picture: [Int], samplesPerPixel samples: Int, _ parts: (strength: Int, intensity: Int))
    -> [Int]
  {
    let colors = stride(from: 0, to: picture.count, by: samples).map { pixel in
      samples < 4 ? Array(repeating: picture[pixel], count: 3) : Array(picture[pixel..<pixel + 3])
    }
    var counts = Array(repeating: 0, count: 256)
    for color in colors { counts[luma(color)] += 1 }
    let expected = ExpectedLevels(counts, strength: parts.strength, intensity: parts.intensity)
    var result = picture
    for (number, color) in colors.enumerated() {
      for (channel, sample) in expected.made(of: color).prefix(samples < 4 ? 1 : 3).enumerated() {
        result[number * samples + channel] = sample
      }
    }
    return result
  }
}
