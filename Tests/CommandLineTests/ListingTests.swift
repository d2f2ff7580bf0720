import Foundation
import SafelightFrames
import SafelightImage
import Testing

@Suite struct ListingTests {
  @Test func filtersTeach() throws {
    let all = try Tool.run("filters").output
    for name in ["equalize", "saturation", "passthrough"] { #expect(all.contains("\(name): ")) }
    let one = try Tool.run("filters", "equalize").output
    #expect(one.contains("floor((2 * maximum * C(i) + N) / (2 * N))") && one.contains("19595*R"))
    for rule in ["normalized-sum", "opencv", "pillow", "libvips"] { #expect(one.contains("\(rule), 8 ")) }
    let json = try Tool.run("filters", "--format", "json").output
    let listing = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: [[String: Any]]])
    // A heading in the listing for each.
    #expect(listing["filters"]?.count == all.split(separator: "\n").count { $0.first?.isLetter == true })
    #expect(try Tool.run("filters", "equalise").code == 64)
  }

  @Test(arguments: ["software", "cpu"])
  func histogramCountsEverySample(_ device: String) throws {
    let path = Tool.fixture("dark-room/frame0001.png")
    let outcome = try Tool.run("histogram", path, "--device", device)
    #expect(outcome.code == 0)
    let report = try #require(
      JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: [[String: Any]]])
    let frame = try #require(report["frames"]?.first)
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

  /// The fields, not the times: those are the machine's.
  @Test(arguments: ["software", "cpu"])
  func benchMeasuresADispatch(_ device: String) throws {
    let outcome = try Tool.run("bench", "--dispatch", "--rounds", "1", "--format", "json", "--device", device)
    #expect(outcome.code == 0)
    let cost = try #require(JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    #expect((cost["recording"] as? Double ?? 0) > 0)
    #expect((cost["replaying"] as? Double ?? 0) > 0)
    #expect((cost["bare"] != nil) == (device == "software"))
    #expect((cost["ratio"] != nil) == (device == "software"))
    #expect(cost["dispatches"] as? Int == 1000)
    let text = try Tool.run("bench", "--dispatch", "--rounds", "1", "--device", device).output
    #expect(text.contains("above the bare calls") && text.contains("µs"))
  }

  /// The fields, not the speeds: those are the machine's.
  @Test(arguments: ["software", "cpu"])
  func benchMeasuresFilters(_ device: String) throws {
    let outcome = try Tool.run(
      "bench", "saturation=2", "equalize=rule=opencv", "--size", "40x30", "--rounds", "1", "--device", device,
      "--format", "json")
    #expect(outcome.code == 0, "\(outcome.errors)")
    let report = try #require(JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    let rows = try #require(report["filters"] as? [[String: Any]])
    // OpenCV takes no 16 bits.
    #expect(rows.map { $0["depth"] as? Int } == [8, 16, 8])
    #expect(rows.map { $0["filter"] as? String } == ["saturation=2", "saturation=2", "equalize=rule=opencv"])
    for row in rows {
      for side in ["device", "twin"] {
        let speed = try #require(row[side] as? [String: Double])
        #expect(speed.count == 3 && speed.values.allSatisfy { $0 > 0 })
      }
    }
    #expect((report["stages"] as? [Any])?.isEmpty == true)
    let text = try Tool.run(
      "bench", "passthrough", "--size", "40x30", "--rounds", "1", "--device", device
    ).output
    #expect(text.contains("of a copy") && text.contains("passthrough") && !text.contains("histogram"))
    let fileless = try Tool.run("bench", "match", "--device", device)
    #expect(fileless.code == 64 && fileless.output.isEmpty && fileless.errors.contains("match=FILE"))
    let filed = try Tool.run(
      "bench", "match=\(Tool.fixture("haze/haze.png"))", "--size", "40x30", "--rounds", "1", "--device", device)
    #expect(filed.code == 0 && filed.output.contains("match="), "\(filed.errors)")
    let unknown = try Tool.run("bench", "saturatoin", "--device", device)
    #expect(unknown.code == 64 && unknown.errors.contains("saturation"))
  }

  @Test func benchSaysWhatItLeavesOut() throws {
    let all = try Tool.run("bench", "--size", "16x16", "--rounds", "1", "--device", "cpu")
    #expect(all.code == 0 && all.output.contains("equalize=smooth=3") && !all.output.contains("match"))
    #expect(all.errors.contains("leaves match out") && all.errors.contains("match=FILE"))
  }

  /// Names of objects are cut to what the driver takes.
  @Test func aLongPathIsNoErrorOfTheDriver() throws {
    let folder = try TemporaryFolder()
    let deep = (0..<6).reduce(folder.url) { url, _ in url.appending(path: String(repeating: "ä", count: 60)) }
    try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
    let picture = deep.appending(path: "picture.png").path
    try FileManager.default.copyItem(atPath: Tool.fixture("haze/haze.png"), toPath: picture)
    let outcome = try Tool.run("histogram", picture, "--device", "software", environment: ["SAFELIGHT_DEBUG": "1"])
    #expect(outcome.code == 0, "\(outcome.errors)")
  }

  @Test func histogramTellsItsProgressAsJSON() throws {
    let folder = try TemporaryFolder()
    let outcome = try Tool.run(
      "histogram", Tool.fixture("dark-room"), "-o", folder.path("a.csv"), "--frames", "1-2", "--device", "cpu",
      "--progress", "json")
    let events = try outcome.errors.split(separator: "\n").map { line in
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])["event"] as? String
    }
    #expect(events == ["message", "frame", "frame", "summary"])
  }

  @Test func histogramHasFourForms() throws {
    let folder = try TemporaryFolder()
    let input = Tool.fixture("haze/haze.png")
    for name in ["a.csv", "a.svg", "a.png", "a.json"] {
      #expect(try Tool.run("histogram", input, "-o", folder.path(name), "--device", "cpu").code == 0)
    }
    let csv = try String(contentsOfFile: folder.path("a.csv"), encoding: .utf8)
    #expect(csv.hasPrefix("frame,file,channel,bin,count\n") && csv.split(separator: "\n").count == 257)
    let svg = try String(contentsOfFile: folder.path("a.svg"), encoding: .utf8)
    #expect(svg.contains("before") && svg.contains("after equalize"))
    #expect(try PNGFile(reading: folder.path("a.png")).image.size.width == 1120)
  }

  @Test func versionAndHelp() throws {
    #expect(try Tool.run("--version").output == "0.1.0\n")
    let help = try Tool.run("--help").output
    for command in ["process", "equalize", "histogram", "devices", "filters", "bench"] {
      #expect(help.contains(command))
    }
  }
}
