public import SafelightImage

extension DMABuffer {
  /// Allocates memory that devices share, linear, on the DRM node at `path`, such as `/dev/dri/card0`; its contents are the driver's.
  ///
  /// The planes lie one below the other in one buffer of 32-bit words, the only kind that every driver makes. Throws
  /// ``SafelightError/Kind/unsupported`` where the node's driver makes none: a software driver makes them on a primary node alone.
  public convenience init(
    allocating size: Size, _ format: DRMFormat, onNode path: String
  ) throws(SafelightError) {
    try format.checkExtent(of: size)
    let extents = (0..<format.planeCount).map { index in
      let extent = format.size(ofPlane: index, in: size)
      return (rows: extent.height, row: extent.width * format.pixelFormat(ofPlane: index).bytesPerPixel)
    }
    let row = extents.map(\.row).max() ?? 0
    let words = Size((row + 3) / 4, extents.reduce(0) { $0 + $1.rows })
    let memory = try GBMBuffer(words, .argb8888, onNode: path)
    let whole = try memory.descriptor()
    var offset = 0
    var planes: [Plane] = []
    for extent in extents {
      planes.append(Plane(descriptor: whole, offset: offset, stride: memory.stride))
      offset += extent.rows * memory.stride
    }
    try self.init(adopting: planes, format: format, size: size, modifier: memory.modifier)
  }
}
