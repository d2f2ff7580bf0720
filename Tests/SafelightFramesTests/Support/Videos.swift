import Foundation
import SafelightFrames
import SafelightImage
import Testing

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

  /// Returns `count` different frames; `grayBits` are those of 16-bit gray samples, repeated below.
  static func frames(_ format: VideoFormat, count: Int, grayBits: Int = 16) -> [VideoFrame] {
    (0..<count).map { index in
      let duration = format.frameDuration ?? MediaTime(value: 1, timescale: 25)
      return frame(index, format, at: duration.multiplied(by: Int64(index)) ?? .zero, grayBits: grayBits)
    }
  }

  static func frame(_ index: Int, _ format: VideoFormat, at time: MediaTime, grayBits: Int = 16) -> VideoFrame {
    let counts = format.layout.planeByteCounts(of: format.size)
    let planes = counts.enumerated().map { bytes(format.layout, $1, seed: UInt64(index * 8 + $0 + 1), grayBits) }
    return format.frame(index, planes, at: time)
  }

  private static func bytes(_ layout: PixelLayout, _ count: Int, seed: UInt64, _ grayBits: Int) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    var bytes = (0..<count).map { _ in
      // The high byte of a linear congruential generator (Knuth, MMIX).
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(state >> 56)
    }
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
}

extension VideoWriter {
  /// Writes all of `frames`, and finishes; abandons the film if that fails.
  func write(_ frames: [VideoFrame]) async throws {
    do {
      for frame in frames { try await write(frame) }
      try await finish()
    } catch {
      await abandon()
      throw error
    }
  }
}

/// The time of a frame and the checksum of its samples, as ffmpeg computes it.
struct Framehash: Equatable {
  let time: MediaTime
  let checksum: String

  init(_ time: MediaTime, _ checksum: String) { (self.time, self.checksum) = (time, checksum) }

  init(_ time: MediaTime, of bytes: [UInt8]) {
    self.init(time, HandmadePNG.number(Int(CRC32.checksum(bytes[...]))).hexadecimal)
  }

  init(_ frame: VideoFrame) { self.init(frame.presentationTime, of: frame.planes.flatMap(\.bytes)) }

  /// Reads `fixtures/golden/films/FILM.LAYOUT.framehash`, which `scripts/freeze-films` stores.
  static func golden(_ film: String, _ layout: PixelLayout) throws -> [Framehash] {
    let text = try String(contentsOfFile: Videos.golden("\(film).\(layout).framehash"), encoding: .utf8)
    let base = try #require(text.firstMatch(of: /#tb 0: 1\/(\d+)/)?.output.1)
    let timescale = try #require(Int32(base))
    let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
    try #require(!lines.isEmpty)
    return try lines.map { line in
      let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      return Framehash(MediaTime(value: try #require(Int64(fields[2])), timescale: timescale), fields[5])
    }
  }
}

/// The films in the folder `fixtures` of the package.
enum Videos {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../fixtures").standardized.path

  static func path(_ name: String) -> String { "\(fixtures)/films/\(name)" }
  static func fixture(_ name: String) -> String { "\(fixtures)/\(name)" }
  static func golden(_ name: String) -> String { "\(fixtures)/golden/films/\(name)" }

  static func bytes(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(fileURLWithPath: path(name)))) }

  static func open(_ name: String, _ options: FFmpegOptions = FFmpegOptions()) async throws -> FFmpegSource {
    try await FFmpegSource(.file(path(name)), options: options)
  }
}

extension AsyncSequence {
  /// All elements.
  func collected() async throws(Failure) -> [Element] {
    var result: [Element] = []
    for try await element in self { result.append(element) }
    return result
  }
}
