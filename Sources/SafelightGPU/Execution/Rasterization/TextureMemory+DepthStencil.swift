internal import SafelightImage

extension PixelFormat {
  /// What a texture of this format keeps of a depth: whole numbers of steps in fixed point (ES 3.2 §2.3.5.2).
  func keptDepth(_ depth: Float) -> Float {
    let depth = max(0, min(1, depth.isNaN ? 0 : depth))
    return self == .depth16Unorm ? Float(sample(normalized: depth)) : depth
  }
}

/// Samples by number: that of their pixel times the samples of a pixel, and their own.
extension TextureMemory {
  /// The depth of a sample, as ``PixelFormat/keptDepth(_:)`` says.
  func depth(at index: Int) -> Float {
    let place = index * pixelFormat.bytesPerPixel
    let count = pixelFormat.bytesPerSample
    let bits = bytes[place..<place + count].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return count == 2 ? Float(bits) : Float(bitPattern: bits)
  }

  func setDepth(_ kept: Float, at index: Int) {
    let place = index * pixelFormat.bytesPerPixel
    let count = pixelFormat.bytesPerSample
    let bits = count == 2 ? UInt32(kept) : kept.bitPattern
    for byte in 0..<count { bytes[place + byte] = UInt8(truncatingIfNeeded: bits >> UInt32(8 * byte)) }
  }

  func stencil(at index: Int) -> UInt8 { bytes[stencilPlace(index)] }

  func setStencil(_ stencil: UInt8, at index: Int) { bytes[stencilPlace(index)] = stencil }

  /// Behind the depth, where there is one.
  private func stencilPlace(_ index: Int) -> Int {
    index * pixelFormat.bytesPerPixel + (pixelFormat.hasDepth ? pixelFormat.bytesPerSample : 0)
  }

  /// Fills the depths.
  func clearDepth(to depth: Float) {
    let kept = pixelFormat.keptDepth(depth)
    for index in 0..<size.area * descriptor.sampleCount { setDepth(kept, at: index) }
  }

  /// Fills the stencils.
  func clearStencil(to stencil: UInt32) {
    let stencil = UInt8(truncatingIfNeeded: stencil)
    for index in 0..<size.area * descriptor.sampleCount { setStencil(stencil, at: index) }
  }
}
