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
    var noise = SplitMix(seed: seed)
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

/// The hashes of a film's frames by ffmpeg, as `scripts/freeze-films` stores them.
struct Framehash: Equatable {
  struct Line: Equatable {
    let time: MediaTime
    let checksum: String
  }

  var lines: [Line] = []

  /// Reads `fixtures/golden/films/FILM.LAYOUT.framehash`.
  init(_ film: String, _ layout: PixelLayout) throws {
    let text = try String(contentsOfFile: Films.golden("\(film).\(layout).framehash"), encoding: .utf8)
    let base = try #require(text.firstMatch(of: /#tb 0: 1\/(\d+)/)?.output.1)
    let timescale = try #require(Int32(base))
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let fields = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      lines.append(
        Line(time: MediaTime(value: try #require(Int64(fields[2])), timescale: timescale), checksum: fields[5]))
    }
    try #require(!lines.isEmpty)
  }

  init(_ frames: [VideoFrame]) {
    lines = frames.map { Line(time: $0.presentationTime, checksum: Self.checksum($0.planes.map(\.bytes))) }
  }

  static func checksum(_ planes: [[UInt8]]) -> String {
    let sum = String(CRC32.checksum(planes.flatMap(\.self)[...]), radix: 16)
    return String(repeating: "0", count: 8 - sum.count) + sum
  }
}

/// The films in the folder `fixtures` of the package.
enum Films {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../fixtures").standardized.path

  static func path(_ name: String) -> String { "\(fixtures)/films/\(name)" }
  static func golden(_ name: String) -> String { "\(fixtures)/golden/films/\(name)" }

  static func bytes(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: URL(fileURLWithPath: path(name)))) }
}

extension AsyncSequence {
  /// All elements.
  func collected() async throws(Failure) -> [Element] {
    var result: [Element] = []
    for try await element in self { result.append(element) }
    return result
  }
}
