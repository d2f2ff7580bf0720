internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

extension ConformanceKernel {
  /// The renderer with each filter and blend: turned, enlarged by odd factors, and partly outside.
  static let renderers = [KernelForm.render, .compute].flatMap { form in
    ImageRenderer.Filter.allCases.flatMap { filter in
      ImageRenderer.Blend.allCases.map { renderer(filter, $0, form) }
    }
  }

  private static func renderer(
    _ filter: ImageRenderer.Filter, _ blend: ImageRenderer.Blend, _ form: KernelForm
  ) -> ConformanceKernel {
    let formats: [PixelFormat] = [.r8Unorm, .rgba8Unorm, .bgra8Unorm, .r16Uint, .rgba16Uint]
    return ConformanceKernel(
      name: "renderer", settings: "renderer, \(filter), \(blend), \(form)",
      formats: form == .compute ? formats.filter(\.isStorable) : formats, isTiled: false
    ) { _ in
      let renderer = ImageRenderer()
      return { scene in
        guard let source = scene.source.tiles.first?.texture else { return }
        let output = try scene.output(source.size, source.pixelFormat)
        for (bounds, orientation, blend) in scene.source.renderings(blend) {
          for tile in output.tiles {
            try renderer.render(
              source, to: tile.texture, commandBuffer: scene.buffer, bounds: bounds, orientation: orientation,
              filter: filter, blend: blend, form: form)
          }
        }
      }
    }
  }
}

extension TiledTexture {
  /// One that covers a picture as large as this, and for a blend another over part of it.
  fileprivate func renderings(
    _ blend: ImageRenderer.Blend
  ) -> [(bounds: Region, orientation: Orientation, blend: ImageRenderer.Blend)] {
    let cover = Region(x: -2, y: -1, width: size.width * 3 / 2 + 3, height: size.height + 5)
    let part = Region(x: 1, y: -3, width: size.width + 1, height: size.height / 2 + 4)
    return [(cover, .rightMirrored, .copy)] + (blend == .copy ? [] : [(part, .down, blend)])
  }
}
