internal import SafelightGPU
internal import SafelightImage

/// The planes of a film's frame on a device, of any size: one set of textures where the frame fits, else a set for each part, with what lies
/// about it.
struct PlanarTexture: Sendable {
  private struct Part: Sendable {
    let place: PicturePart
    let planes: [Texture]
    /// The part as red, green and blue; nil where it is the whole picture.
    let picture: Texture?
  }

  let size: Size
  let layout: PixelLayout
  private let parts: [Part]

  /// Makes textures for frames of `size` in `layout`, which become, or are made of, pictures of `picture`.
  init(device: Device, size: Size, layout: PixelLayout, picture: PixelFormat, label: String) throws(SafelightError) {
    self.size = size
    self.layout = layout
    let places = PicturePart.parts(of: size, edge: device.capabilities.maximumTextureSize, border: 2)
    var parts: [Part] = []
    for place in places {
      var planes: [Texture] = []
      for (index, format) in layout.planeFormats.enumerated() {
        let size = layout.planeSize(index, of: place.whole.size)
        planes.append(try device.makeTexture(size, format, label: "\(label), plane \(index)"))
      }
      let part = places.count == 1 ? nil : try device.makeTexture(place.whole.size, picture, label: "\(label), part")
      parts.append(Part(place: place, planes: planes, picture: part))
    }
    self.parts = parts
  }

  /// Records the upload of a frame of this size and layout.
  func encodeUpload(of frame: VideoFrame, to buffer: CommandBuffer) {
    let encoder = buffer.makeBlitCommandEncoder(label: "upload")
    for part in parts {
      for (index, (plane, texture)) in zip(frame.planes, part.planes).enumerated() {
        let region = layout.planeRegion(index, of: part.place.whole)
        encoder.write(
          plane.bytes, offset: region.y * plane.bytesPerRow + region.x * plane.pixelFormat.bytesPerPixel,
          bytesPerRow: plane.bytesPerRow, to: texture)
      }
    }
    encoder.endEncoding()
  }

  /// Records the upload of a frame of this size and layout, of which each of `memory` holds a plane.
  func encodeUpload(from memory: [Buffer], to buffer: CommandBuffer) {
    let encoder = buffer.makeBlitCommandEncoder(label: "upload")
    for part in parts {
      for (index, (memory, texture)) in zip(memory, part.planes).enumerated() {
        encoder.copy(
          from: memory, offset: offset(layout.planeRegion(index, of: part.place.whole), index),
          bytesPerRow: bytesPerRow(index), to: texture)
      }
    }
    encoder.endEncoding()
  }

  /// Records how a picture of this size is made of the planes.
  func encodeDecoding(_ kernel: ImageYCbCrToRGB, to picture: TiledTexture, in buffer: CommandBuffer) {
    for part in parts {
      guard let whole = part.picture else {
        kernel.encode(to: buffer, planes: part.planes, destination: picture.tiles[0].texture)
        continue
      }
      kernel.encode(to: buffer, planes: part.planes, destination: whole)
      picture.encodeCopy(of: part.place.kept, from: whole, lying: part.place.whole, in: buffer)
    }
  }

  /// Records how the planes are made of a picture of this size.
  func encodeEncoding(_ kernel: ImageRGBToYCbCr, from picture: TiledTexture, in buffer: CommandBuffer) {
    for part in parts {
      guard let whole = part.picture else {
        kernel.encode(to: buffer, source: picture.tiles[0].texture, planes: part.planes)
        continue
      }
      picture.encodeCopy(of: part.place.whole, to: whole, in: buffer)
      kernel.encode(to: buffer, source: whole, planes: part.planes)
    }
  }

  /// Records the readback of all planes, in their order.
  func encodeReadback(to buffer: CommandBuffer) -> [Readback] {
    let encoder = buffer.makeBlitCommandEncoder(label: "readback")
    defer { encoder.endEncoding() }
    return layout.planeFormats.enumerated().map { index, format in
      let size = layout.planeSize(index, of: size)
      let readback = Readback(size, format)
      for part in parts {
        let kept = layout.planeRegion(index, of: part.place.kept)
        let whole = layout.planeRegion(index, of: part.place.whole)
        encoder.read(
          part.planes[index], x: kept.x - whole.x, y: kept.y - whole.y, into: readback, ofSize: size, at: kept)
      }
      return readback
    }
  }

  /// Records the readback of each plane into one of `memory`.
  func encodeReadback(into memory: [Buffer], to buffer: CommandBuffer) {
    let encoder = buffer.makeBlitCommandEncoder(label: "readback")
    for (index, memory) in memory.enumerated() {
      for part in parts {
        let kept = layout.planeRegion(index, of: part.place.kept)
        let whole = layout.planeRegion(index, of: part.place.whole)
        encoder.copy(
          from: part.planes[index], region: kept.translated(x: -whole.x, y: -whole.y), to: memory,
          offset: offset(kept, index), bytesPerRow: bytesPerRow(index))
      }
    }
    encoder.endEncoding()
  }

  /// Bytes of each plane of the whole frame.
  var byteCounts: [Int] { layout.planeByteCounts(of: size) }
  private func bytesPerRow(_ index: Int) -> Int {
    layout.planeSize(index, of: size).width * layout.planeFormats[index].bytesPerPixel
  }
  private func offset(_ region: Region, _ index: Int) -> Int {
    region.y * bytesPerRow(index) + region.x * layout.planeFormats[index].bytesPerPixel
  }
}

extension PixelLayout {
  /// Where plane `index` has the samples of `region`, which begins at a place where a plane has one.
  fileprivate func planeRegion(_ index: Int, of region: Region) -> Region {
    guard index > 0, let step = yCbCr?.subsampling.step else { return region }
    return Region(x: region.x / step.width, y: region.y / step.height, size: planeSize(index, of: region.size))
  }
}
