import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport

/// An input of the device suites in any format that point kernels take, with its samples as plain integers for
/// brute-force expectations.
struct Picture: Sendable, CustomStringConvertible {
  let size: Size
  let format: PixelFormat
  /// Pixel after pixel, in the order red, green, blue, alpha.
  let samples: [Int]
  let description: String

  init(_ size: Size, _ format: PixelFormat, samples: [Int], _ description: String? = nil) {
    self.size = size
    self.format = format
    self.samples = samples
    self.description = description ?? "\(size) \(format.rawValue)"
  }

  /// Alpha is noise, so that a kernel that touches it is seen.
  init(_ input: SyntheticImage, _ size: Size, _ format: PixelFormat) {
    let count = format.samplesPerPixel
    let image = input.image(size, channels: count == 1 ? .gray : .rgba, depth: format.depth)
    let samples = image.pixelFormat.samples(image.bytes)
    self.init(
      size, format, samples: count == 2 ? samples.indices.filter { $0 % 4 < 2 }.map { samples[$0] } : samples,
      "\(input) \(size) \(format.rawValue)")
  }

  /// Noise.
  init(_ size: Size, _ format: PixelFormat) { self.init(.noise, size, format) }

  /// Noise of `span` values from `least` on.
  init(_ size: Size, _ format: PixelFormat, from least: Int, span: Int) {
    self.init(
      size, format, samples: Picture(size, format).samples.map { least + $0 % span },
      "\(size) \(format.rawValue) from \(least)")
  }

  /// The same with alpha 0 in every third pixel, and in all of the upper half.
  var withHiddenPixels: Picture {
    let hidden = samples.indices.map { index in
      index % 4 == 3 && (index / 4 % 3 == 0 || index / 4 / size.width < size.height / 2) ? 0 : samples[index]
    }
    return Picture(size, format, samples: format.samplesPerPixel == 4 ? hidden : samples, "\(self), some hidden")
  }

  /// Returns true if `pixels` do not count the colors of the pixel at `place`.
  func hides(_ place: Int, from pixels: CountedPixels) -> Bool {
    pixels == .visible && format.samplesPerPixel == 4 && samples[place * 4 + 3] == 0
  }

  /// A picture that holds every value in every channel.
  static func everyValue(_ format: PixelFormat) -> Picture {
    let values = (0...format.maximum).flatMap { [Int](repeating: $0, count: format.samplesPerPixel) }
    return Picture(Size(256, (format.maximum + 1) / 256), format, samples: values, "every value")
  }

  /// The samples of each pixel.
  var pixels: [[Int]] {
    let count = format.samplesPerPixel
    return stride(from: 0, to: samples.count, by: count).map { Array(samples[$0..<$0 + count]) }
  }

  /// The samples of one channel.
  func channel(_ number: Int) -> [Int] {
    stride(from: number, to: samples.count, by: format.samplesPerPixel).map { samples[$0] }
  }

  /// BT.601's luma by its documented formula, or the first of fewer channels.
  var luma: [Int] {
    if format.samplesPerPixel < 4 { return channel(0) }
    return stride(from: 0, to: samples.count, by: 4).map {
      (19595 * samples[$0] + 38470 * samples[$0 + 1] + 7471 * samples[$0 + 2] + 32768) / 65536
    }
  }

  /// Returns the samples with those of some channels replaced, by their channel and value.
  func mapping(_ channels: Range<Int>, _ output: (_ channel: Int, _ value: Int) -> Int) -> [Int] {
    samples.enumerated().map { index, value in
      let channel = index % format.samplesPerPixel
      return channels.contains(channel) ? output(channel, value) : value
    }
  }

  /// Returns the samples with the lumas changed by `output` and the chroma kept.
  func shiftingLuma(_ output: (Int) -> Int) -> [Int] {
    let (count, luma) = (format.samplesPerPixel, luma)
    if count < 4 { return mapping(0..<1) { output($1) } }
    return samples.enumerated().map { index, value in
      let gray = luma[index / 4]
      return index % 4 == 3 ? value : min(max(value + output(gray) - gray, 0), format.maximum)
    }
  }

  /// The formats that images have.
  static let formats: [PixelFormat] = [.r8Unorm, .rgba8Unorm, .r16Uint, .rgba16Uint]

  /// The formats that point kernels take, written out.
  static let allFormats: [PixelFormat] = [
    .r8Unorm, .rg8Unorm, .rgba8Unorm, .bgra8Unorm, .r16Uint, .rgba16Uint, .r16Unorm, .rg16Unorm, .rgba16Unorm,
  ]

  /// Sizes that go wrong.
  static let sizes = [Size(1, 1), Size(1, 9), Size(17, 31), Size(65, 63), Size(2047, 3)]

  /// Every input in every size, in one format, for one device: the widest is wider than the 2048 that each device has,
  /// if this one allows.
  static func all(_ format: PixelFormat, on device: Device) -> [Picture] {
    let isWide = device.capabilities.maximumTextureSize >= 4097
    return (made[format] ?? []).filter { $0.size.width != (isWide ? 2047 : 4097) }
  }

  private static let made = Dictionary(
    uniqueKeysWithValues: formats.map { format in
      let sizes = sizes + [Size(64, 64), Size(130, 5), Size(4097, 3)]
      return (format, sizes.flatMap { size in SyntheticImage.allCases.map { Picture($0, size, format) } })
    })

  /// Samples in the order in which they lie in a texture's memory, and back.
  static func ordered(_ samples: [Int], _ format: PixelFormat) -> [Int] {
    guard format == .bgra8Unorm else { return samples }
    return samples.indices.map { samples[$0 % 4 == 0 ? $0 + 2 : $0 % 4 == 2 ? $0 - 2 : $0] }
  }
}

extension PixelFormat {
  /// The samples in the bytes of pixels.
  func samples(_ bytes: [UInt8]) -> [Int] {
    bytesPerSample == 1 ? bytes.map { Int($0) } : bytes.words(UInt16.self).map { Int($0) }
  }

  /// Samples as the bytes of pixels.
  func bytes(_ samples: [Int]) -> [UInt8] {
    bytesPerSample == 1 ? samples.map { UInt8($0) } : samples.map { UInt16($0) }.withUnsafeBytes { Array($0) }
  }

  /// The description of a histogram with an entry for every value.
  func complete(_ channels: HistogramInfo.Channels = .each) -> HistogramInfo {
    .complete(depth, channels: channels)
  }
}

/// The histogram of `picture` by its documentation: planar, each value in entry clamp((v − low) · entries / (high −
/// low)).
///
/// `low` and `high` stand for the range of `info`, in sample values, and default to the whole range; values below
/// `least` are left out.
func expectedCounts(
  _ picture: Picture, _ info: HistogramInfo = HistogramInfo(), low: [Int]? = nil, high: [Int]? = nil, least: Int = 0,
  clip: Region = .noClip
) -> [Int] {
  let channels = min(picture.format.samplesPerPixel, info.histogramForAlpha ? 4 : 3)
  let planes = info.channels == .luma ? [picture.luma] : (0..<channels).map(picture.channel)
  var counts = [Int](repeating: 0, count: planes.count * info.entries)
  for (plane, values) in planes.enumerated() {
    let (low, high) = (low?[plane] ?? 0, high?[plane] ?? picture.format.maximum)
    for (index, value) in values.enumerated() where value >= least {
      let (x, y) = (index % picture.size.width - clip.x, index / picture.size.width - clip.y)
      if x < 0 || y < 0 || x >= clip.size.width || y >= clip.size.height { continue }
      if plane < 3 && picture.hides(index, from: info.pixels) { continue }
      counts[plane * info.entries + binOf(value, low, high, info.entries)] += 1
    }
  }
  return counts
}

/// The entry of a value.
func binOf(_ value: Int, _ low: Int, _ high: Int, _ entries: Int) -> Int {
  value < low ? 0 : min((value - low) * entries / (high - low), entries - 1)
}
