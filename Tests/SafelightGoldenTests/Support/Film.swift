import SafelightImage

/// Frames of a film in which a bright square walks over noise.
enum Film {
  static let size = Size(48, 32)

  static func frame(_ number: Int, of channels: Channels = .rgb, _ depth: SampleDepth = .bits8) -> Image {
    var image = SyntheticImage.noise.image(size, channels: channels, depth: depth)
    let maximum = image.pixelFormat.maximum
    for y in 0..<size.height {
      for x in 0..<size.width {
        for sample in channels.sampleIndices where sample < 3 {
          let isInside = (x - 4 * number % size.width).magnitude < 6 && (y - 16).magnitude < 10
          image[x: x, y: y, sample: sample] = isInside ? maximum : image[x: x, y: y, sample: sample] / 4
        }
        if channels == .grayAlpha {
          for sample in 1...2 { image[x: x, y: y, sample: sample] = image[x: x, y: y, sample: 0] }
        }
      }
    }
    return image
  }

  /// Returns `image` with one sample off by `amount`.
  static func touched(_ image: Image, x: Int = 17, y: Int = 11, sample: Int = 1, by amount: Int) -> Image {
    var image = image
    let value = image[x: x, y: y, sample: sample]
    image[x: x, y: y, sample: sample] = value + amount <= image.pixelFormat.maximum ? value + amount : value - amount
    return image
  }
}
