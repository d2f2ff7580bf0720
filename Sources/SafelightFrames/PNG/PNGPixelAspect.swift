import SafelightImage

/// The shape of pixels, as the pHYs chunk states it by the pixels in a unit of length along each axis (PNG 11.3.4.3).
extension PNGMetadata {
  private var density: (x: UInt32, y: UInt32, isMetric: Bool)? {
    guard let data = self["pHYs"], data.count == 9, data[8] <= 1 else { return nil }
    let (x, y) = (data.bigEndian(at: 0), data.bigEndian(at: 4))
    return x > 0 && y > 0 ? (x, y, data[8] == 1) : nil
  }

  /// The shape of a pixel; nil if it is not stated. A resolution with equal axes states a size on paper.
  package var pixelAspect: PixelAspect? {
    guard let density, density.x != density.y || !density.isMetric else { return nil }
    return PixelAspect(reducing: Int128(density.y), Int128(density.x))
  }

  /// Returns the metadata of a picture whose pixels have the shape `aspect`; unchanged if that is nil or stated
  /// already.
  ///
  /// A resolution keeps its pixels per meter from left to right.
  package func shaped(_ aspect: PixelAspect?) -> PNGMetadata {
    guard let aspect, !PixelAspect.areEqual(aspect, pixelAspect) else { return self }
    let density = density.flatMap { $0.isMetric ? $0 : nil }
    let (x, y) =
      if let density {
        (Double(density.x), (Double(density.x) * Double(aspect.width) / Double(aspect.height)).rounded())
      } else { (Double(aspect.height), Double(aspect.width)) }
    var made = self
    let numbers = [x, y].map { UInt32(min(max($0, 1), Double(Int32.max))) }
    made.chunks.removeAll { $0.type == "pHYs" }
    made.chunks.append(PNGChunk(type: "pHYs", data: [UInt8](bigEndian: numbers) + [density == nil ? 0 : 1]))
    return made
  }
}
