import SafelightImage

/// Frames of a film in which a bright square walks over noise.
enum Video {
  static let size = Size(48, 32)

  static func frame(_ number: Int, of channels: Channels = .rgb, _ depth: SampleDepth = .bits8) -> Image {
    let noise = SyntheticImage.noise.image(size, channels: channels, depth: depth)
    return noise.changing(0..<size.width, 0..<size.height, 0..<(channels == .gray ? 1 : 3)) { x, y, _, value in
      let isInside = (x - 4 * number % size.width).magnitude < 6 && (y - 16).magnitude < 10
      return isInside ? noise.pixelFormat.maximum : value / 4
    }
  }

  /// Returns `image` with one sample off by `amount`.
  static func touched(_ image: Image, x: Int = 17, y: Int = 11, sample: Int = 1, by amount: Int) -> Image {
    var image = image
    let value = image[x: x, y: y, sample: sample]
    image[x: x, y: y, sample: sample] = value + amount <= image.pixelFormat.maximum ? value + amount : value - amount
    return image
  }
}

extension Image {
  /// Returns a copy in which `value` of their places and values replaces the samples of a part.
  func changing(
    _ columns: some Sequence<Int>, _ rows: some Sequence<Int>, _ samples: Range<Int>,
    to value: (_ x: Int, _ y: Int, _ sample: Int, _ value: Int) -> Int
  ) -> Image {
    var copy = self
    for y in rows {
      for x in columns {
        for sample in samples {
          copy[x: x, y: y, sample: sample] = value(x, y, sample, self[x: x, y: y, sample: sample])
        }
      }
    }
    return copy
  }
}
