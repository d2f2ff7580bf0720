import SafelightFrames
import SafelightImage

/// Frames of noise, for films that are written and read again.
struct PaintedFrames {
  static func format(
    _ layout: PixelLayout, _ size: Size, duration: MediaTime? = MediaTime(value: 1001, timescale: 30000),
    timescale: Int32 = 30000, color: ColorDescription = .unspecified, pixelAspect: PixelAspect? = nil
  ) -> VideoFormat {
    VideoFormat(
      size: size, layout: layout, timeBase: MediaTime(value: 1, timescale: timescale), frameDuration: duration,
      color: color, pixelAspect: pixelAspect)
  }

  /// `count` frames, all different, whose samples have the bits of their layout; `bits` are those of grey in 16, repeated below.
  static func frames(_ format: VideoFormat, count: Int, grayBits: Int = 16) -> [VideoFrame] {
    (0..<count).map { index in
      let duration = format.frameDuration ?? MediaTime(value: 1, timescale: 25)
      return frame(index, format, at: duration.multiplied(by: Int64(index)) ?? .zero, grayBits: grayBits)
    }
  }

  static func frame(_ index: Int, _ format: VideoFormat, at time: MediaTime, grayBits: Int = 16) -> VideoFrame {
    let layout = format.layout
    let planes = layout.planeFormats.enumerated().map { number, pixels in
      let size = layout.planeSize(number, of: format.size)
      return PixelPlane(size: size, pixelFormat: pixels, bytes: bytes(layout, number, index, size, pixels, grayBits))
    }
    return VideoFrame(
      index: index, size: format.size, layout: layout, planes: planes, presentationTime: time,
      duration: format.frameDuration, orientation: format.orientation, color: format.color)
  }

  private static func bytes(
    _ layout: PixelLayout, _ plane: Int, _ index: Int, _ size: Size, _ pixels: PixelFormat, _ grayBits: Int
  ) -> [UInt8] {
    let count = size.area * pixels.bytesPerPixel
    var noise = SplitMix(seed: UInt64(index * 8 + plane + 1))
    var bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: noise.next() >> 33) }
    guard layout.depth == .bits16 else { return bytes }
    for place in stride(from: 0, to: count, by: 2) {
      var word = UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8
      if layout.yCbCr?.isBiPlanar == false { word &= UInt16((1 << layout.bits) - 1) }
      if layout == .gray16, grayBits < 16 {
        let upper = word >> (16 - grayBits)
        word = upper << (16 - grayBits) | upper >> (2 * grayBits - 16)
      }
      (bytes[place], bytes[place + 1]) = (UInt8(word & 255), UInt8(word >> 8))
    }
    return bytes
  }

  private struct SplitMix {
    var state: UInt64
    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      let mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
      return mixed ^ mixed >> 27
    }
  }
}

extension FilmWriter {
  /// Writes all of `frames`, and ends.
  func write(_ frames: [VideoFrame]) async throws {
    for frame in frames { try await write(frame) }
    try await finish()
  }
}
