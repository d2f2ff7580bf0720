internal import SafelightGPU
public import SafelightImage
internal import Synchronization

/// A picture that conformance puts into kernels, of any size and format.
public enum ConformanceInput: Hashable, Sendable, CustomStringConvertible {
  /// Made from integers.
  case synthetic(SyntheticImage)
  /// Part of a film's frame, repeated over the size that is asked for.
  case frame

  /// Every synthetic picture, and the frame.
  public static let all = SyntheticImage.allCases.map(synthetic) + [.frame]

  /// The name in a row: `noise`, `frame`.
  public var description: String {
    switch self {
    case .synthetic(let image): image.rawValue
    case .frame: "frame"
    }
  }

  /// The picture as pixels of `format`, rows without padding: integers from 0 to the maximum, floats from −1/4 to 5/4.
  ///
  /// Alpha is noise, so that a kernel that touches it is seen.
  package func bytes(_ size: Size, _ format: PixelFormat) -> [UInt8] {
    let image = image(size, depth: format.bytesPerSample == 1 ? .bits8 : .bits16)
    let order = format == .bgra8Unorm ? [2, 1, 0, 3] : Array(0..<format.samplesPerPixel)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size.area * format.bytesPerPixel)
    for y in 0..<size.height {
      for x in 0..<size.width {
        for sample in order {
          let value = image[x: x, y: y, sample: sample]
          switch (format.sampleKind, format.bytesPerSample) {
          case (.float, _): bytes += format.bytes(ofSample: Float(value) / 65535 * 1.5 - 0.25)
          case (_, 1): bytes.append(UInt8(truncatingIfNeeded: value))
          default: bytes += [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
          }
        }
      }
    }
    return bytes
  }

  private func image(_ size: Size, depth: SampleDepth) -> Image {
    switch self {
    case .synthetic(let image): return image.image(size, channels: .rgba, depth: depth)
    case .frame:
      let frame = ConformanceFrame.image
      var image = SyntheticImage.noise.image(size, channels: .rgba, depth: depth)
      for y in 0..<size.height {
        for x in 0..<size.width {
          for sample in 0..<3 {
            let value = frame[x: x % frame.size.width, y: y % frame.size.height, sample: sample]
            image[x: x, y: y, sample: sample] = depth == .bits8 ? value : value * 257
          }
        }
      }
      return image
    }
  }
}

/// The pictures of a conformance run, each made once and kept for all kernels.
final class ConformancePictures: Sendable {
  private struct Key: Hashable {
    let input: ConformanceInput
    let size: Size
    let format: PixelFormat
  }

  private let made = Mutex<[Key: [UInt8]]>([:])

  func bytes(_ input: ConformanceInput, _ size: Size, _ format: PixelFormat) -> [UInt8] {
    let key = Key(input: input, size: size, format: format)
    if let known = made.withLock({ $0[key] }) { return known }
    let bytes = input.bytes(size, format)
    made.withLock { $0[key] = bytes }
    return bytes
  }
}

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
