import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// Three pictures in `out` that may become goldens in `goldens`, and `safelight golden` to do it.
struct GoldenSandbox {
  let folder = TemporaryFolder()

  init() throws {
    for number in 1...3 { try make("out/shot\(number)", number) }
  }

  /// Writes a picture, another for each seed.
  func make(_ name: String, _ seed: Int, _ size: Size = Size(20, 12)) throws {
    var image = SyntheticImage.noise.image(size, channels: .rgb, depth: .bits8)
    image[x: 4, y: 4, sample: 1] = seed
    try write(name, image)
  }

  /// Writes `image` as `name`, without `.png`.
  func write(_ name: String, _ image: Image) throws {
    try folder.write(image, to: "\(name).png")
  }

  /// Runs `safelight golden` with `verb` on both folders, or on that of the goldens alone.
  @discardableResult
  func golden(_ verb: String, _ arguments: String...) throws -> Tool.Outcome { try golden(verb, arguments) }

  @discardableResult
  func golden(_ verb: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Tool.Outcome {
    let paths = ["status", "rename", "remove"].contains(verb) ? ["goldens"] : ["goldens", "out"]
    return try Tool.run(["golden", verb] + paths.map(folder.path) + arguments, environment: environment)
  }

  func recorded() throws { #expect(try golden("record").code == 0) }

  /// What Git LFS leaves of a file.
  static let pointer =
    "version https://git-lfs.github.com/spec/v1\noid sha256:\(String(repeating: "0", count: 64))\nsize 12\n"
}
