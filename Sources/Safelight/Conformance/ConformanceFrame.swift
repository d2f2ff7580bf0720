internal import SafelightImage

/// A part of a film's frame that travels in the binary: *Big Buck Bunny*, © Blender Foundation, CC BY 3.0; see fixtures/README.md.
package enum ConformanceFrame {
  /// 48 × 32 pixels of 8 bits.
  package static let image: Image = {
    let size = Size(48, 32)
    var bytes: [UInt8] = []
    let stored = PackageResources.frame_rgb
    trap(
      unless: stored.count == size.area * 3, "frame.rgb holds \(stored.count) bytes, not \(size) of three; make it anew"
    )
    for pixel in stride(from: 0, to: stored.count, by: 3) { bytes += stored[pixel..<pixel + 3] + [255] }
    return Image(size: size, channels: .rgb, depth: .bits8, bytes: bytes)
  }()
}
