import SafelightGPU
import SafelightImage
import SafelightKernels

/// One rendering of a test: what is drawn, and how.
struct RenderingCase {
  var source: Picture
  var bounds: Region
  var orientation = Orientation.up
  var filter = ImageRenderer.Filter.nearest
  var blend = ImageRenderer.Blend.copy
}

extension Batch {
  /// Renders `cases` one after the other over `start`, to a texture of `format`.
  @discardableResult
  func render(
    _ cases: [RenderingCase], over start: Picture, _ format: PixelFormat, sourceFormat: PixelFormat? = nil,
    with renderer: ImageRenderer = ImageRenderer(), form: KernelForm = .automatic
  ) throws -> Readback {
    let destination = try source(start, as: format)
    for rendering in cases {
      try renderer.render(
        source(rendering.source, as: sourceFormat), to: destination, commandBuffer: buffer, bounds: rendering.bounds,
        orientation: rendering.orientation, filter: rendering.filter, blend: rendering.blend, form: form)
    }
    return blit { $0.read(destination) }
  }
}
