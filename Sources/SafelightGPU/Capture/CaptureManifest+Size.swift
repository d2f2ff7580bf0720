internal import SafelightGLES
internal import SafelightImage

extension CaptureManifest {
  /// Throws where the resources would take more than `limit` bytes: nothing is made before.
  func check(_ limit: Int) throws(SafelightError) {
    // Of bytes that lie nowhere, being zeros, the capture itself is no measure.
    let carried = commands.compactMap { $0.upload?.pixels ?? $0.writeBuffer?.bytes } + outputs.map(\.bytes)
    let zeros = carried.filter { $0.blob == nil && $0.words == nil }
    let lengths = buffers.map(\.length) + readbacks.map(\.length) + zeros.map(\.length)
    var needed = 0
    for length in textures.map(\.byteCount) + lengths {
      let (sum, isBeyondAll) = needed.addingReportingOverflow(max(0, length))
      needed = isBeyondAll ? .max : sum
    }
    guard needed > limit else { return }
    throw SafelightError(
      .limit, "capture of '\(label)'", why: "its resources take \(needed) bytes; \(limit) are the limit",
      remedy: "capture smaller command buffers, or raise byteLimit if the capture is to be trusted")
  }
}

extension CaptureManifest.Texture {
  /// Bytes of its own; none for a view, and for a size that is none, which is told later.
  fileprivate var byteCount: Int {
    let numbers = [
      descriptor.size.width, descriptor.size.height, descriptor.depth, descriptor.arrayLength, descriptor.sampleCount,
    ]
    guard parent == nil, numbers.allSatisfy({ $0 > 0 }), (1...64).contains(descriptor.mipmapLevelCount) else {
      return 0
    }
    // A face of a cube is the 6th part, a level at most as much as the first: no sum overflows below this.
    let first = numbers.reduce(Double(descriptor.pixelFormat.bytesPerPixel)) { $0 * Double($1) }
    return first < 0x1p50 ? descriptor.byteCount : .max
  }
}
