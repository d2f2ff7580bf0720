import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// `safelight compare`: codes, texts, JSON and pictures of differences.
@Suite struct CompareTests {
  private let folder = TemporaryFolder()

  init() throws {
    for side in ["a", "b"] {
      try folder.make(side)
      for number in 1...6 { try folder.write(Self.frame(number), to: "\(side)/f\(number).png") }
    }
  }

  private static let size = Size(24, 16)

  /// A column of light that walks over noise.
  private static func frame(_ number: Int, _ size: Size = size) -> Image {
    var image = SyntheticImage.noise.image(size, channels: .rgb, depth: .bits8)
    for y in 0..<size.height {
      for x in 0..<size.width {
        for sample in 0..<3 {
          image[x: x, y: y, sample: sample] = x / 3 == number % 8 ? 255 : image[x: x, y: y, sample: sample] / 4
        }
      }
    }
    return image
  }

  /// Frame `number` of the actual side, green off by `amount` at (5, 7).
  private func touch(_ number: Int, by amount: Int) throws {
    var image = Self.frame(number)
    image[x: 5, y: 7, sample: 1] = (image[x: 5, y: 7, sample: 1] + amount) % 256
    try folder.write(image, to: "b/f\(number).png")
  }

  private func compare(_ options: String...) throws -> Tool.Outcome {
    try Tool.run(["compare", folder.path("a"), folder.path("b"), "--progress", "none"] + options)
  }

  // MARK: Codes and texts

  @Test func equalSequencesAreCounted() throws {
    try compare().ends(0)
      .prints(only: "6 compared: 6 exact, 0 within, 0 differ; 0 missing; 0 extra; canary ok\n").says(only: "")
  }

  @Test func aDifferenceIsToldInFull() throws {
    try touch(3, by: 40)
    let value = Self.frame(3)[x: 5, y: 7, sample: 1]
    try compare("--picture").ends(1).prints(
      "frame 3 differs: ", "b/f3.png from ", "\n  1 of 384 pixels differs, at (5, 7). To allow it: max<=40",
      "max 40 > 0",
      "flicker: the difference changes most from the frame before to frame 3, by 0.03 levels a sample on average\n",
      "(5, 7) green: \(value) expected, \(value + 40) found", "@", "worst pixels:",
      "6 compared: 5 exact, 0 within, 1 differ; 0 missing; 0 extra; canary ok\n")
    #expect(try !compare().output.contains("worst pixels"))
  }

  @Test func aToleranceLetsItPass() throws {
    try touch(3, by: 40)
    try compare("--tolerance", "max<=40 && over(0)<=1px").ends(0)
      .prints(last: "6 compared: 5 exact, 1 within, 0 differ; 0 missing; 0 extra; canary ok\n").prints(
        "frame 3 is within max<=40 && over(0)<=1px: ", "within: max 40 <= 40, over(0) 1px <= 1px",
        "The tightest that allows it: max<=40")
  }

  @Test func anOlderDifferenceDoesNotStay() throws {
    try touch(3, by: 40)
    #expect(try compare("--diff", folder.path("d")).code == 1)
    #expect(FileManager.default.fileExists(atPath: folder.path("d/f3.png")))
    try folder.write(Self.frame(3), to: "b/f3.png")
    #expect(try compare("--diff", folder.path("d")).code == 0)
    #expect(!FileManager.default.fileExists(atPath: folder.path("d/f3.png")))
  }

  /// Two pictures whose names do not count are no film.
  @Test func namesDoNotFlicker() throws {
    for side in ["a", "b"] {
      for number in 1...6 { try folder.remove("\(side)/f\(number).png") }
      try folder.write(Self.frame(1), to: "\(side)/cat.png")
      try folder.write(Self.frame(2), to: "\(side)/dog.png")
    }
    var image = Self.frame(2)
    for x in 0..<24 { image[x: x, y: 3, sample: 0] ^= 64 }
    try folder.write(image, to: "b/dog.png")
    let outcome = try compare()
    #expect(outcome.code == 1 && !outcome.output.contains("flicker"), "\(outcome)")
  }

  @Test func missingExtraAndGapsAreNamed() throws {
    try folder.remove("b/f2.png")
    try compare().ends(3).prints(
      "missing: \(folder.path("a/f2.png")): it has no counterpart",
      "5 compared: 5 exact, 0 within, 0 differ; 1 missing; 0 extra; canary ok")
    try folder.remove("a/f2.png")
    try compare().ends(0).prints("0 missing; 0 extra")
    try compare("--expect", "6").ends(3).prints("it has 5 pictures, not 6")
    #expect(try compare("--expect", "5").code == 0)
    #expect(try compare("--expect", "0").code == 64)
    try folder.remove("a/f6.png")
    try compare().ends(3).prints("extra: \(folder.path("b/f6.png"))")
    for side in ["a", "b"] { try folder.write(Self.frame(2), to: "\(side)/f100.png") }
    let outcome = try compare("--complete").ends(3).prints(
      "missing: 75 more; --format json names all", "missing: \(folder.path("a/f2.png")): neither side has frame 2",
      "missing: \(folder.path("a/f99.png")): neither side has frame 99")
    #expect(outcome.output.split(separator: "\n").filter { $0.hasPrefix("missing: ") }.count == 20)
  }

  @Test func aDelayIsToldOnce() throws {
    for number in 2...6 { try folder.write(Self.frame(number - 1), to: "b/f\(number).png") }
    let outcome = try compare().ends(1).prints(
      "the checked side is one frame late from frame 2 on\n", "frame 2 repeats frame 1, where the expected ones move")
    #expect(outcome.output.components(separatedBy: " differs: ").count == 3, "one headline and one verdict")
    #expect(outcome.output.contains("5 differ;"))
  }

  @Test func theWorstCodeIsSaid() throws {
    try touch(3, by: 40)
    try folder.remove("b/f2.png")
    #expect(try compare().code == 3)
    try folder.write(Self.frame(4, Size(12, 16)), to: "b/f4.png")
    try compare().ends(4).prints("frame 4 cannot be compared: ", "24×16", "12×16", "; 1 not comparable")
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    try folder.write(pointer, to: "b/f5.png")
    try compare().ends(65).prints("f5.png: it is a Git LFS pointer", "run git lfs pull", "; 1 not readable")
  }

  @Test func nothingToCompareIsNoSuccess() throws {
    for number in 1...6 { try folder.remove("b/f\(number).png") }
    #expect(try compare().code == 66)
    #expect(try Tool.run("compare", folder.path("a"), folder.path("c")).code == 66)
    #expect(try Tool.run("compare", folder.path("c"), folder.path("a")).code == 66)
  }

  @Test func aTypoIsPointedAt() throws {
    try compare("--tolerance", "max<=1 && ovr(0)<=1%")
      .ends(64).says("did you mean over?", "  max<=1 && ovr(0)<=1%\n            ^")
    try compare("--tolerance", "exakt").ends(64).says("did you mean exact?")
  }

  @Test func twoFilesAreCompared() throws {
    try touch(3, by: 40)
    try folder.shell("safelight compare a/f3.png b/f3.png", code: 1)
    try folder.shell("safelight compare a/f2.png b/f2.png")
    try folder.shell("safelight compare a/f2.png a/f2.png", code: 64)
      .says("comparing a file with itself proves nothing")
  }

  @Test func patternsAndGlobsAreCompared() throws {
    try folder.shell("safelight compare a/f%d.png 'b/*.png' --progress none --jobs 1")
      .prints(first: "6 compared: 6 exact")
  }

  @Test func aMaskLeavesOut() throws {
    try touch(3, by: 40)
    var mask = [UInt8](repeating: 255, count: Self.size.area)
    mask[7 * Self.size.width + 5] = 0
    try folder.write(Image(size: Self.size, channels: .gray, depth: .bits8, bytes: mask), to: "mask.png")
    try compare("--mask", folder.path("mask.png")).ends(0)
      .prints(first: "left out: 1 of the 384 pixels of a picture (0.26 %)\n6 compared: 6 exact")
    try folder.write(Image(size: Self.size, channels: .gray, depth: .bits8, bytes: mask.map { _ in 0 }), to: "mask.png")
    #expect(try compare("--mask", folder.path("mask.png")).code == 66)
  }

  // MARK: JSON

  @Test func theJSONIsThatOfTheContract() throws {
    try touch(3, by: 40)
    try folder.remove("b/f6.png")
    let outcome = try compare("--format", "json").ends(3)
    let json = try outcome.json
    #expect(json["differs"] as? Bool == true)
    #expect(json["tolerance"] as? String == "exact")
    #expect(json["missing"] as? [String] == [folder.path("a/f6.png")])
    #expect(json["extra"] as? [String] == [])
    let frames = try #require(json["frames"] as? [[String: Any]])
    #expect(frames.compactMap { $0["index"] as? Int } == [0, 1, 2, 3, 4])
    #expect(frames.compactMap { $0["differs"] as? Bool } == [false, false, true, false, false])
    #expect(frames[2]["expected"] as? String == folder.path("a/f3.png"))
    #expect(frames[2]["actual"] as? String == folder.path("b/f3.png"))
    #expect(frames[2]["max"] as? Int == 40)
    #expect(frames[2]["mean"] as? Double == 40.0 / Double(Self.size.area * 3))
    #expect((frames[2]["bias"] as? [String: Double])?["green"] == 40.0 / Double(Self.size.area))
    #expect((frames[2]["over"] as? [String: Int])?["0"] == 1)
    #expect(frames[2]["psnr"] is Double)
    #expect(frames[0]["psnr"] is NSNull)
    #expect(frames[0]["max"] as? Int == 0)
    #expect((frames[0]["bias"] as? [String: Double]) == ["red": 0, "green": 0, "blue": 0])
  }

  // MARK: Pictures

  @Test func differencesAreWritten() throws {
    try touch(3, by: 40)
    #expect(try compare("--diff", folder.path("diff")).code == 1)
    #expect(try folder.names("diff") == ["f3.png"])
    let image = try folder.image("diff/f3.png")
    #expect(image[x: 5, y: 7, sample: 1] == 255)
    let lit = (0..<Self.size.area).filter { image[x: $0 % Self.size.width, y: $0 / Self.size.width, sample: 1] > 63 }
    #expect(lit.count == 9)
    // A single one is written anew where nothing differs, too.
    for (number, light) in [(3, 255), (2, Self.frame(2)[x: 5, y: 7, sample: 1] * 63 / 255)] {
      try folder.shell(
        "safelight compare a/f\(number).png b/f\(number).png --diff one.png", code: number == 3 ? 1 : 0)
      #expect(try folder.image("one.png")[x: 5, y: 7, sample: 1] == light)
    }
  }

  @Test func reportsAreWritten() throws {
    try touch(3, by: 40)
    try folder.remove("b/f6.png")
    let files = ["r.html", "r.json", "r.xml"].map { folder.path($0) }
    try compare("--report", files[0], "--report", files[1], "--report", files[2]).ends(3)
    let texts = try files.map { try String(contentsOfFile: $0, encoding: .utf8) }
    #expect(texts[0].contains("image/png;base64") && texts[0].contains("canary ok"))
    for text in texts { #expect(text.contains("frame 3") && text.contains("f6.png")) }
    #expect(texts[1].contains("differs") && texts[1].contains("missing"))
    #expect(try compare("--report", folder.path("r.pdf")).code == 64)
    #expect(try compare("--report", folder.path("no/r.html")).code == 73)
  }

  @Test func noInputIsReplaced() throws {
    let before = try Data(contentsOf: URL(filePath: folder.path("a/f3.png")))
    #expect(try compare("--diff", folder.path("a")).code == 64)
    #expect(try compare("--diff", folder.path("b")).code == 64)
    #expect(try Data(contentsOf: URL(filePath: folder.path("a/f3.png"))) == before)
  }
}
