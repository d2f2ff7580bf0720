import Foundation
import SafelightFrames
import SafelightImage
import Testing

/// What ffmpeg says of a film's frames, as `scripts/freeze-films` keeps it.
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
