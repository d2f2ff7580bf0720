import Safelight
import Testing

extension KernelPicture {
  /// Both directions alone: on the way there and back, which the filter `ycbcr` takes, faults of both could cancel out.
  static let conversions = [
    KernelPicture("rgb-to-ycbcr") {
      try planes($0, .yCbCr420BiPlanar8, ColorDescription(matrix: .bt601, range: .full, siting: .topLeft))
    },
    KernelPicture("rgb-to-ycbcr-10-bits") {
      try planes($0, .yCbCr422Planar10, ColorDescription(matrix: .bt709, range: .limited, siting: .left))
    },
    KernelPicture("ycbcr-to-rgb") {
      try picture($0, .yCbCr420Planar8, ColorDescription(matrix: .bt709, range: .limited, siting: .center))
    },
    KernelPicture("ycbcr-to-rgb-10-bits") {
      try picture($0, .yCbCr422BiPlanar10, ColorDescription(matrix: .bt2020, range: .full, siting: .left))
    },
    KernelPicture("ycbcr-to-rgb-alpha") {
      try picture(
        $0, .yCbCr444BiPlanar8, ColorDescription(matrix: .bt601, range: .full),
        alpha: FilterGoldenDeviceTests.frame(for: "premultiply"))
    },
  ]

  /// The planes of a colourful picture, one below the other: luma; Cb and Cr side by side where they have half the columns.
  private static func planes(_ device: Device, _ layout: PixelLayout, _ color: ColorDescription) throws -> Image {
    let run = KernelRun(device)
    let frame = colorful
    let isDeep = layout.depth == .bits16
    // Times 257: 0 to 65535.
    let source = try run.texture(
      frame.size, isDeep ? .rgba16Uint : .rgba8Unorm, isDeep ? frame.bytes.flatMap { [$0, $0] } : frame.bytes)
    let planes = try layout.planeFormats.enumerated().map {
      try device.makeTexture(layout.planeSize($0, of: frame.size), $1)
    }
    try ImageRGBToYCbCr(device: device, layout: layout, color: color)
      .encode(to: run.buffer, source: source, planes: planes)
    let readbacks = planes.map { plane in run.blit { $0.read(plane) } }
    try run.run()
    let samples = try readbacks.map { try SampleWords(bytes: $0.contents(), depth: layout.depth).values }
    let chroma: [[Int]] =
      samples.count == 3
      ? Array(samples[1...])
      : (0..<2).map { channel in stride(from: channel, to: samples[1].count, by: 2).map { samples[1][$0] } }
    let width = layout.planeSize(1, of: frame.size).width
    let rows = stride(from: 0, to: chroma[0].count, by: width).flatMap { row in
      chroma.flatMap { $0[row..<row + width] }
    }
    // Ten bits fill the picture's words from above, so that they can be seen.
    let shift = try layout.depth.rawValue - layout.bits - #require(layout.yCbCr).shift
    let all = (samples[0] + rows).map { $0 << shift }
    return Image(
      size: Size(frame.size.width, all.count / frame.size.width), channels: .gray, depth: layout.depth,
      bytes: SampleWords(values: all, depth: layout.depth).bytes)
  }

  /// The frame's green as luma, with Cb rising from left to right and Cr from top to bottom.
  private static func picture(
    _ device: Device, _ layout: PixelLayout, _ color: ColorDescription, alpha: Image? = nil
  ) throws -> Image {
    let run = KernelRun(device)
    let frame = ConformanceFrame.image
    let samples = try samples(layout, frame)
    let planes = try samples.enumerated().map { index, values in
      try run.texture(
        layout.planeSize(index, of: frame.size), layout.planeFormats[index],
        SampleWords(values: values, depth: layout.depth).bytes)
    }
    let picture = ImageDescriptor(size: frame.size, channels: alpha == nil ? .rgb : .rgba, depth: layout.depth)
    let target = try device.makeTexture(picture.size, picture.pixelFormat)
    try ImageYCbCrToRGB(device: device, layout: layout, color: color)
      .encode(to: run.buffer, planes: planes, alpha: alpha.map { try run.texture($0) }, destination: target)
    let readback = run.blit { $0.read(target) }
    try run.run()
    return try Image(picture, bytes: readback.contents())
  }

  private static func samples(_ layout: PixelLayout, _ frame: Image) throws -> [[Int]] {
    let yCbCr = try #require(layout.yCbCr)
    let shift = layout.bits - 8 + yCbCr.shift
    let size = layout.planeSize(1, of: frame.size)
    let places = (0..<size.area).map { (x: $0 % size.width, y: $0 / size.width) }
    let blue = places.map { (16 + $0.x * 224 / (size.width - 1)) << shift }
    let red = places.map { (16 + $0.y * 224 / (size.height - 1)) << shift }
    let luma = stride(from: 1, to: frame.bytes.count, by: 4).map { Int(frame.bytes[$0]) << shift }
    return yCbCr.isBiPlanar ? [luma, zip(blue, red).flatMap { [$0, $1] }] : [luma, blue, red]
  }
}

/// Samples as numbers, and as bytes in the order of the machine.
private struct SampleWords {
  let values: [Int]
  let depth: SampleDepth

  init(values: [Int], depth: SampleDepth) {
    self.values = values
    self.depth = depth
  }

  init(bytes: [UInt8], depth: SampleDepth) {
    self.depth = depth
    values =
      depth == .bits8
      ? bytes.map(Int.init) : stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
  }

  var bytes: [UInt8] {
    depth == .bits8 ? values.map { UInt8($0) } : values.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
  }
}
