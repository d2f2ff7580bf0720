import SafelightGPU
import SafelightImage
import SafelightKernels
import Testing

/// One rendering of a test: what is drawn, and how.
struct RenderingCase: CustomStringConvertible {
  var source: Picture
  var bounds: Region
  var orientation = Orientation.up
  var filter = ImageRenderer.Filter.nearest
  var blend = ImageRenderer.Blend.copy

  var description: String {
    "\(source) \(orientation) \(filter) \(blend) in \(bounds)"
  }

  /// Paints what must come of it.
  func expect(in destination: inout Raster) {
    let picture = Raster(source).upright(orientation).scaled(to: bounds.size, filter)
    destination.paint(picture, x: bounds.x, y: bounds.y, blend)
  }
}

/// A destination and what was rendered to it.
struct RenderingResult {
  let start: Picture
  let format: PixelFormat
  let cases: [RenderingCase]
  let form: KernelForm
  let readback: Readback

  var description: String { "\(cases) over \(start) of \(format.rawValue), \(form)" }

  /// What must be there.
  var expected: [Int] {
    var raster = Raster(start)
    for rendering in cases { rendering.expect(in: &raster) }
    return raster.samples(start.format)
  }
}

extension Batch {
  /// Renders `cases` one after the other over `start`, to a texture of `format`.
  func render(
    _ cases: [RenderingCase], over start: Picture, _ format: PixelFormat, sourceFormat: PixelFormat? = nil,
    with renderer: ImageRenderer, form: KernelForm = .automatic
  ) throws -> RenderingResult {
    let destination = try device.makeTexture(start.size, format)
    blit { $0.copy(from: start.image, to: destination) }
    for rendering in cases {
      let source = try device.makeTexture(rendering.source.size, sourceFormat ?? rendering.source.format)
      blit { $0.copy(from: rendering.source.image, to: source) }
      try renderer.render(
        source, to: destination, commandBuffer: buffer, bounds: rendering.bounds, orientation: rendering.orientation,
        filter: rendering.filter, blend: rendering.blend, form: form)
    }
    let readback = blit { $0.read(destination, as: start.format) }
    return RenderingResult(start: start, format: format, cases: cases, form: form, readback: readback)
  }

  /// Runs everything; each result must be what is expected, and what the twins make.
  func check(_ results: [RenderingResult]) throws {
    try run()
    for result in results {
      expectEqual(result.start.format.samples(try result.readback.contents()), result.expected, result.description)
    }
    #expect(try readbacksUnlikeTwins() == 0)
  }
}
