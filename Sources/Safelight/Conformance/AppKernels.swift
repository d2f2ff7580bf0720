internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

extension ConformanceKernel {
  /// The renderer with each filter and blend, turned, enlarged by odd factors, and partly outside.
  static let renderers = [PipelineKind.render, .compute].flatMap { pipeline in
    ImageRenderer.Filter.allCases.flatMap { filter in
      ImageRenderer.Blend.allCases.map { renderer(filter, $0, pipeline) }
    }
  }

  private static func renderer(
    _ filter: ImageRenderer.Filter, _ blend: ImageRenderer.Blend, _ pipeline: PipelineKind
  ) -> ConformanceKernel {
    ConformanceKernel(
      name: "renderer", settings: "renderer, \(filter), \(blend)", pipeline: pipeline, formats: ImageRenderer.formats,
      isTiled: false
    ) { _ in
      let renderer = ImageRenderer()
      return { scene in
        guard let source = scene.source.tiles.first?.texture else { return }
        let output = try scene.output(source.size, source.pixelFormat)
        for (bounds, orientation, blend) in scene.source.renderings(blend) {
          for tile in output.tiles {
            try renderer.render(
              source, to: tile.texture, commandBuffer: scene.buffer, bounds: bounds, orientation: orientation,
              filter: filter, blend: blend, pipeline: pipeline)
          }
        }
      }
    }
  }
}

extension ConformanceKernel {
  /// Pictures scaled whole, and by a transform into a rectangle of the same destination, also from beyond their edges.
  static let scales = [PipelineKind.render, .compute].flatMap { pipeline in
    [("bilinear", ImageBilinearScale.self), ("lanczos", ImageLanczosScale.self)].map { scale($0, $1, pipeline) }
  }

  private static func scale(
    _ name: String, _ kind: any ImageScale.Type, _ pipeline: PipelineKind
  ) -> ConformanceKernel {
    ConformanceKernel(
      name: "scale", settings: "\(name) scale", pipeline: pipeline, formats: ImageRenderer.formats, isTiled: false
    ) { device in
      let whole = kind.init(device: device)
      var part = kind.init(device: device)
      part.scaleTransform = ScaleTransform(scaleX: 0.75, scaleY: 1.25, translateX: 2.25, translateY: -1.5)
      return { [part] scene in
        guard let source = scene.source.tiles.first?.texture else { return }
        let size = Size(source.size.width / 2 + 1, source.size.height * 2 / 3 + 1)
        var part = part
        part.clipRect = Region(x: 1, y: 0, width: size.width, height: size.height / 2 + 1)
        for tile in try scene.output(size, source.pixelFormat).tiles {
          for scale in [whole, part] {
            try scale.encode(to: scene.buffer, source: source, destination: tile.texture, pipeline: pipeline)
          }
        }
      }
    }
  }
}

extension ConformanceKernel {
  /// Three smaller pictures, the differences between them, and the picture that is made of these again.
  static let pyramids = [PipelineKind.render, .compute].map { pipeline in
    ConformanceKernel(
      name: "pyramid", settings: "pyramid of 3 levels", pipeline: pipeline, formats: PixelFormat.pictureFormats,
      isTiled: false
    ) { device in
      let pyramid = ImagePyramid(device: device, levels: 3)
      return { scene in
        guard let source = scene.source.tiles.first?.texture else { return }
        func output(_ size: Size, _ format: PixelFormat) throws -> [Texture] {
          try scene.output(size, format).tiles.map(\.texture)
        }
        let (format, sizes) = (source.pixelFormat, pyramid.sizes(of: source.size))
        let smaller = try sizes.flatMap { try output($0, format) }
        let differences = try ([source.size] + sizes.dropLast()).flatMap {
          try output($0, ImagePyramid.differenceFormat(for: format))
        }
        let again = try output(source.size, format)
        pyramid.encodeGaussian(to: scene.buffer, source: source, destinations: smaller, pipeline: pipeline)
        pyramid.encodeLaplacian(
          to: scene.buffer, source: source, gaussian: smaller, differences: differences, pipeline: pipeline)
        pyramid.encodeReconstruction(
          to: scene.buffer, smallest: smaller[2], differences: differences, destination: again[0], pipeline: pipeline)
      }
    }
  }
}

extension TiledTexture {
  /// Returns a rendering that covers a picture of this size, and for a blend another over part of it.
  fileprivate func renderings(
    _ blend: ImageRenderer.Blend
  ) -> [(bounds: Region, orientation: Orientation, blend: ImageRenderer.Blend)] {
    let cover = Region(x: -2, y: -1, width: size.width * 3 / 2 + 3, height: size.height + 5)
    let part = Region(x: 1, y: -3, width: size.width + 1, height: size.height / 2 + 4)
    return [(cover, .rightMirrored, .copy)] + (blend == .copy ? [] : [(part, .down, blend)])
  }
}
