internal import Dispatch
internal import SafelightGPU
internal import SafelightImage
internal import SafelightMachine
internal import Synchronization

/// A sample of 8 or of 16 bits.
public typealias UnsignedSample = FixedWidthInteger & UnsignedInteger & BitwiseCopyable & Sendable

/// Makes each pixel of `memory`'s region from that of the first input at its place: the loop of a point kernel's twin.
///
/// `body` gets the samples as integers from 0 to the format's maximum and must return such. Samples that a format lacks
/// are 0, alpha the maximum, and are not stored; `body` must not depend on this alpha, since a shader's is 1 in formats
/// of integers.
@inline(__always)
func walkPixels(
  _ memory: PassMemory, variant: Int = 0, _ body: (SIMD4<Int32>, PointSamples) -> SIMD4<Int32>
) {
  switch memory.output.pixelFormat.bytesPerSample {
  case 1: walkPixels(of: UInt8.self, memory, variant, body)
  case 2: walkPixels(of: UInt16.self, memory, variant, body)
  default: trap("kernels take samples of 8 and of 16 bits, not \(memory.output.pixelFormat.rawValue)")
  }
}

@inline(__always)
private func walkPixels<Sample: UnsignedSample>(
  of type: Sample.Type, _ memory: PassMemory, _ variant: Int, _ body: (SIMD4<Int32>, PointSamples) -> SIMD4<Int32>
) {
  let region = memory.region
  for y in region.y..<region.y + region.size.height {
    let from = unsafe memory.inputs[0].row(type, x: region.x, y: y, count: region.size.width)
    let to = unsafe memory.output.row(type, x: region.x, y: y, count: region.size.width)
    unsafe walkPixels(from, to, samples: memory.output.step, variant, body)
  }
}

@inline(__always)
private func walkPixels<Sample: UnsignedSample>(
  _ from: UnsafeMutableBufferPointer<Sample>, _ to: UnsafeMutableBufferPointer<Sample>, samples: Int, _ variant: Int,
  _ body: (SIMD4<Int32>, PointSamples) -> SIMD4<Int32>
) {
  let maximum = Int32(Sample.max)
  // Maximum and kind are constants in each loop, so divisions by the maximum become multiplications.
  if samples == 4 {
    let kind = PointSamples(maximum: maximum, hasColors: true, variant: variant)
    for pixel in stride(from: 0, to: from.count, by: 4) {
      let made = unsafe body(
        SIMD4(Int32(from[pixel]), Int32(from[pixel + 1]), Int32(from[pixel + 2]), Int32(from[pixel + 3])), kind)
      unsafe to[pixel] = Sample(truncatingIfNeeded: made.x)
      unsafe to[pixel + 1] = Sample(truncatingIfNeeded: made.y)
      unsafe to[pixel + 2] = Sample(truncatingIfNeeded: made.z)
      unsafe to[pixel + 3] = Sample(truncatingIfNeeded: made.w)
    }
    return
  }
  let kind = PointSamples(maximum: maximum, hasColors: false, variant: variant)
  for pixel in stride(from: 0, to: from.count, by: samples) {
    let green = samples == 2 ? unsafe Int32(from[pixel + 1]) : 0
    let made = unsafe body(SIMD4(Int32(from[pixel]), green, 0, maximum), kind)
    for channel in 0..<samples { unsafe to[pixel + channel] = Sample(truncatingIfNeeded: made[channel]) }
  }
}

/// The rows of a picture in slices, on which the twins of kernels work at once, as a GPU's threadgroups do.
struct RowSlices: Sendable {
  private let rows: Range<Int>
  let count: Int

  /// Cuts `rows` of `width` pixels into at most `most` slices of at least 32768 pixels; fewer are not worth a thread.
  ///
  /// Makes two slices for each CPU of the process, since other processes use the CPUs too: an idle thread takes another
  /// slice.
  init(_ rows: Range<Int>, width: Int, most: Int = .max) {
    self.rows = rows
    count = max(1, min(2 * Self.processors, rows.count * width / 32768, most, rows.count))
  }

  init(_ size: Size) { self.init(0..<size.height, width: size.width) }

  /// Calls `body` with the number and the rows of each slice, on a thread for each CPU of the process, and waits. No
  /// two slices may write the same memory.
  ///
  /// `nonisolated(unsafe)`: several threads call `body` while this waits for all of them, and each keeps to the memory
  /// of its own slice.
  func concurrently(_ body: (_ number: Int, _ rows: Range<Int>) -> Void) {
    if count == 1 { return body(0, rows) }
    withoutActuallyEscaping(body) { body in
      nonisolated(unsafe) let body = body
      let next = Atomic(0)
      DispatchQueue.concurrentPerform(iterations: min(count, Self.processors)) { _ in
        while true {
          let number = next.add(1, ordering: .relaxed).oldValue
          if number >= count { return }
          unsafe body(number, slice(number))
        }
      }
    }
  }

  private func slice(_ number: Int) -> Range<Int> {
    let first = rows.lowerBound + rows.count * number / count
    return first..<rows.lowerBound + rows.count * (number + 1) / count
  }

  private static let processors = ProcessorCount.ofThisProcess.value
}
