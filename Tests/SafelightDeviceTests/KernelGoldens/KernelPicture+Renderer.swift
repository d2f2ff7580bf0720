import Safelight
import Testing

extension KernelPicture {
  /// The film's frame rendered into a checkerboard of 128 × 96 pixels.
  static let renderings = [KernelForm.render, .compute].flatMap { form in
    [
      KernelPicture("renderer-orientations", way: "\(form)") { try rendered($0, form, orientations) },
      KernelPicture("renderer-filters", way: "\(form)") { try rendered($0, form, filters) },
      KernelPicture("renderer-source-over", way: "\(form)") { try rendered($0, form, blends) },
    ]
  }

  private struct Layer {
    var bounds: Region
    var orientation = Orientation.up
    var filter = ImageRenderer.Filter.linear
    var blend = ImageRenderer.Blend.copy
    /// Whether the picture has the ramp of alpha, or is grey.
    var hasAlpha = false
    var isGray = false
  }

  /// All eight, four in a row; those that exchange the axes are as high as the others are wide.
  private static let orientations = Orientation.allCases.enumerated().map { number, orientation in
    let size = orientation.uprightSize(of: Size(30, 20))
    return Layer(
      bounds: Region(x: number % 4 * 32 + 1, y: number / 4 * 48 + 4, size: size), orientation: orientation)
  }

  /// Each filter in a row: larger by no whole number, as it is, smaller, and over the edge.
  private static let filters = ImageRenderer.Filter.allCases.enumerated().flatMap { number, filter in
    [
      Region(x: -9, y: 0, width: 61, height: 31), Region(x: 53, y: 0, width: 24, height: 32),
      Region(x: 78, y: 4, width: 17, height: 11), Region(x: 96, y: -5, width: 48, height: 43),
    ].map { bounds in
      Layer(bounds: bounds.translated(x: 0, y: 32 * number), filter: filter)
    }
  }

  /// Over all of it, over that, and grey over that, all partly outside.
  private static let blends = [
    Layer(bounds: Region(x: -10, y: -7, width: 120, height: 80), blend: .sourceOver, hasAlpha: true),
    Layer(
      bounds: Region(x: 60, y: 30, width: 80, height: 70), orientation: .right, filter: .area, blend: .sourceOver,
      hasAlpha: true),
    Layer(bounds: Region(x: 20, y: 70, width: 50, height: 40), filter: .nearest, blend: .sourceOver, isGray: true),
  ]

  private static func rendered(_ device: Device, _ form: KernelForm, _ layers: [Layer]) throws -> Image {
    let run = KernelRun(device)
    let renderer = ImageRenderer()
    let board = checkerboard
    let target = try run.texture(board)
    for layer in layers {
      let picture = layer.isGray ? gray : FilterGoldenDeviceTests.frame(for: layer.hasAlpha ? "premultiply" : "")
      try renderer.render(
        run.texture(picture), to: target, commandBuffer: run.buffer, bounds: layer.bounds,
        orientation: layer.orientation, filter: layer.filter, blend: layer.blend, form: form)
    }
    let readback = run.blit { $0.read(target) }
    try run.run()
    return try board.replacing(bytes: readback.contents())
  }

  /// Fields of 8 × 8: an opaque grey, and a blue that lets half of what is behind it through.
  private static let checkerboard: Image = {
    let size = Size(128, 96)
    let bytes: [UInt8] = (0..<size.area).flatMap { pixel -> [UInt8] in
      (pixel % size.width / 8 + pixel / size.width / 8) % 2 == 0 ? [160, 160, 160, 255] : [40, 60, 200, 128]
    }
    return Image(size: size, channels: .rgba, depth: .bits8, bytes: bytes)
  }()

  /// The frame's green.
  private static let gray: Image = {
    let frame = ConformanceFrame.image
    return Image(
      size: frame.size, channels: .gray, depth: .bits8,
      bytes: stride(from: 1, to: frame.bytes.count, by: 4).map { frame.bytes[$0] })
  }()
}
