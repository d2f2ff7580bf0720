internal import SafelightGPU
internal import SafelightImage

extension ImageColorCube {
  /// The twin of `color_cube.glsl`.
  static func twin(hasDomain: Bool) -> PointFunction.Twin {
    { arguments, source, destination in
      let depth: SampleDepth = source.pixelFormat.bytesPerSample == 1 ? .bits8 : .bits16
      let size = Int(arguments.words(4)[0])
      unsafe arguments.texture(2).withSamples(of: UInt16.self) { entries in
        let cells = unsafe Cells(
          entries: entries, size: size, scale: ColorCube.scale(depth, hasDomain: hasDomain),
          maximum: (1 << depth.rawValue) - 1)
        guard hasDomain else {
          return walkPixels(from: source, to: destination) { pixel, _ in
            unsafe cells.color(Int(pixel.x), Int(pixel.y), Int(pixel.z), alpha: pixel.w)
          }
        }
        unsafe arguments.texture(3).withSamples(of: UInt16.self) { positions in
          walkPixels(from: source, to: destination) { pixel, _ in
            unsafe cells.color(
              Int(positions[4 * Int(pixel.x)]), Int(positions[4 * Int(pixel.y) + 1]),
              Int(positions[4 * Int(pixel.z) + 2]),
              alpha: pixel.w)
          }
        }
      }
    }
  }

  /// The entries of a cube in memory, and how positions lie between them.
  @unsafe private struct Cells {
    private let entries: UnsafeBufferPointer<UInt16>
    /// Samples from one entry to the next, along each axis.
    private let steps: (red: Int, green: Int, blue: Int)
    private let last: Int
    private let scale: Int
    private let divisor: Int

    init(entries: UnsafeBufferPointer<UInt16>, size: Int, scale: Int, maximum: Int) {
      unsafe self.entries = unsafe entries
      unsafe steps = (4, 4 * size, 4 * size * size)
      unsafe last = size - 1
      unsafe self.scale = scale
      unsafe divisor = scale * 65535 / maximum
    }

    @inline(__always)
    func color(_ red: Int, _ green: Int, _ blue: Int, alpha: Int32) -> SIMD4<Int32> {
      let (r, g, b) = unsafe (red * last, green * last, blue * last)
      let (cellR, cellG, cellB) = unsafe (r / scale, g / scale, b / scale)
      let (partR, partG, partB) = unsafe (r - cellR * scale, g - cellG * scale, b - cellB * scale)
      // Behind the last entry there is none; its weight is 0.
      let stepR = unsafe cellR < last ? steps.red : 0
      let stepG = unsafe cellG < last ? steps.green : 0
      let stepB = unsafe cellB < last ? steps.blue : 0
      var (f1, f2, f3) = (partR, partG, partB)
      var (s1, s2, s3) = (stepR, stepG, stepB)
      if f1 < f2 { swap(&f1, &f2); swap(&s1, &s2) }
      if f2 < f3 { swap(&f2, &f3); swap(&s2, &s3) }
      if f1 < f2 { swap(&f1, &f2); swap(&s1, &s2) }
      let e0 = unsafe cellR * steps.red + cellG * steps.green + cellB * steps.blue
      let e1 = e0 + s1
      let e2 = e1 + s2
      let e3 = e2 + s3
      let w0 = unsafe scale - f1
      func mixed(_ channel: Int) -> Int32 {
        let sum =
          unsafe w0 * Int(entries[e0 + channel]) + (f1 - f2) * Int(entries[e1 + channel])
          + (f2 - f3) * Int(entries[e2 + channel]) + f3 * Int(entries[e3 + channel])
        return unsafe Int32((sum + divisor / 2) / divisor)
      }
      return SIMD4(mixed(0), mixed(1), mixed(2), alpha)
    }
  }
}
