import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

@Suite struct ListingTests {
  private let folder = TemporaryFolder()

  @Test func filtersTeach() throws {
    let all = try Tool.run("filters").output
    for name in ["equalize", "saturation", "passthrough"] { #expect(all.contains("\(name): ")) }
    let one = try Tool.run("filters", "equalize").output
    #expect(one.contains("floor((2 * maximum * C(i) + N) / (2 * N))") && one.contains("19595*R"))
    for rule in ["normalized-sum", "opencv", "pillow", "libvips"] { #expect(one.contains("\(rule), 8 ")) }
    let filters = try #require(Tool.run("filters", "--format", "json").json["filters"] as? [[String: Any]])
    // A heading in the listing for each.
    #expect(filters.count == all.split(separator: "\n").count { $0.first?.isLetter == true })
    #expect(try Tool.run("filters", "equalise").code == 64)
  }

  @Test(arguments: ["software", "cpu"])
  func histogramCountsEverySample(_ device: String) throws {
    let path = Tool.fixture("dark-room/frame0001.png")
    let outcome = try Tool.run("histogram", path, "--device", device).ends(0)
    let frame = try #require((outcome.json["frames"] as? [[String: Any]])?.first)
    let image = try PNGFile(reading: path).image
    #expect(frame["width"] as? Int == image.size.width && frame["height"] as? Int == image.size.height)
    #expect(frame["depth"] as? Int == 8 && frame["entries"] as? Int == 256 && frame["index"] as? Int == 0)
    #expect(frame["file"] as? String == path)
    let channels = try #require(frame["channels"] as? [String: [Int]])
    for (sample, name) in ["red", "green", "blue"].enumerated() {
      var expected = [Int](repeating: 0, count: 256)
      for at in stride(from: sample, to: image.bytes.count, by: 4) { expected[Int(image.bytes[at])] += 1 }
      #expect(channels[name] == expected)
    }
    #expect(channels.count == 3)
  }

  /// Names of objects are cut to what the driver takes.
  @Test func aLongPathIsNoErrorOfTheDriver() throws {
    let deep = (0..<6).map { _ in String(repeating: "ä", count: 60) }.joined(separator: "/")
    try folder.shell(
      """
      mkdir -p \(deep); cp \(Tool.haze) \(deep)/picture.png
      SAFELIGHT_DEBUG=1 safelight histogram $PWD/\(deep)/picture.png --device software
      """)
  }

  @Test(arguments: [Channels.grayAlpha, .rgba, .rgb])
  func alphaIsCountedWhereItIsAskedFor(_ channels: Channels) throws {
    let image = SyntheticImage.noise.image(Size(40, 30), channels: channels, depth: .bits8)
    try PNGFile(image: image).write(to: folder.path("a.png"))
    func counts(_ option: String) throws -> [String: [Int]] {
      let outcome = try Tool.run("histogram", folder.path("a.png"), "--device", "cpu", option)
      let frames = try outcome.json["frames"] as? [[String: Any]]
      return try #require(frames?.first?["channels"] as? [String: [Int]])
    }
    #expect(try counts("--entries=256")["alpha"] == nil)
    var expected: [Int]?
    if channels != .rgb {
      expected = [Int](repeating: 0, count: 256)
      for at in stride(from: 3, to: image.bytes.count, by: 4) { expected?[Int(image.bytes[at])] += 1 }
    }
    let all = try counts("--alpha")
    #expect(all["alpha"] == expected)
    #expect(Set(all.keys).subtracting(["alpha"]) == (channels == .grayAlpha ? ["gray"] : ["red", "green", "blue"]))
    #expect(try Tool.run("histogram", folder.path("a.png"), "-o", folder.path("a.svg"), "--alpha").code == 64)
  }

  @Test func histogramTellsItsProgressAsJSON() throws {
    let outcome = try folder.safelight("histogram \(Tool.darkRoom) -o a.csv --frames 1-2 --progress json")
    #expect(try outcome.events.map { $0["event"] as? String } == ["message", "frame", "frame", "summary"])
  }

  @Test func histogramHasFourForms() throws {
    for name in ["a.csv", "a.svg", "a.png", "a.json"] { try folder.safelight("histogram \(Tool.haze) -o \(name)") }
    let csv = try folder.text("a.csv")
    #expect(csv.hasPrefix("frame,file,channel,bin,count\n") && csv.split(separator: "\n").count == 257)
    let svg = try folder.text("a.svg")
    #expect(svg.contains("before") && svg.contains("after equalize"))
    #expect(try folder.image("a.png").size.width == 1120)
  }

  @Test func framesLieAlongTime() throws {
    try folder.safelight("histogram \(Tool.darkRoom) -o film.svg --over time --frames 1-3")
    let svg = try folder.text("film.svg")
    // Three channels before and after, each a picture.
    #expect(svg.split(separator: "data:image/png;base64,").count == 7)
    #expect(svg.contains(">frame 1</text>") && svg.contains(">3</text>"))
  }

  @Test func versionAndHelp() throws {
    #expect(try Tool.run("--version").output == "0.1.0\n")
    let help = try Tool.run("--help").output
    for command in ["process", "equalize", "histogram", "devices", "filters", "bench"] {
      #expect(help.contains(command))
    }
  }
}
