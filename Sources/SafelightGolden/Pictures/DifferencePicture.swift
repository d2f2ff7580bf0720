import CGoldenRows
public import SafelightImage

/// A picture of where two pictures differ: the expected one in gray at a quarter of its brightness, with the
/// differences on top.
///
/// Differences grow by a pixel to each side, so that a single one is visible. Each channel is lit where it differs,
/// from half brightness to full brightness at the greatest difference; a difference in alpha lights all channels.
/// Masked pixels have an eighth of their brightness.
public struct DifferencePicture: Hashable, Sendable {
  /// An opaque 8-bit picture, gray if the pictures are.
  public let image: Image

  /// Paints `difference`.
  public init(_ difference: ImageDifference) {
    let (expected, isHidden) = (difference.expected, difference.mask?.isHidden)
    let layout = expected.rows
    let (across, count) = (expected.size.width * layout.samples, layout.pixels * layout.samples)
    let steps = unsafe [UInt16](unsafeUninitializedCapacity: count) { steps, filled in
      unsafe cgolden_steps(expected.bytes, difference.actual.bytes, layout, isHidden, steps.baseAddress)
      filled = count
    }
    let wide = Self.grown(steps, by: layout.samples, each: across)
    let grown = Self.grown(wide, by: across, each: count)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
      unsafe cgolden_paint(
        expected.bytes, grown, layout, expected.channels.hasAlpha, isHidden, UInt16(max(1, difference.maximum)),
        bytes.baseAddress)
      filled = count
    }
    image = Image(size: expected.size, channels: layout.samples == 1 ? .gray : .rgb, depth: .bits8, bytes: bytes)
  }

  /// Replaces each sample by the greatest of itself and the samples `stride` before and after it, in each run of
  /// `count` samples apart.
  private static func grown(_ steps: [UInt16], by stride: Int, each count: Int) -> [UInt16] {
    unsafe [UInt16](unsafeUninitializedCapacity: steps.count) { grown, filled in
      unsafe steps.withUnsafeBufferPointer { steps in
        for first in Swift.stride(from: 0, to: steps.count, by: count) {
          unsafe cgolden_grow(
            UnsafeBufferPointer(rebasing: steps[first...]).baseAddress, count, stride,
            UnsafeMutableBufferPointer(rebasing: grown[first...]).baseAddress)
        }
      }
      filled = steps.count
    }
  }
}
