import Foundation
import SafelightFrames
import SafelightImage
import Testing

/// `SAFELIGHT_CAPTURE` and `safelight replay`.
@Suite struct ReplayTests {
  private let folder = TemporaryFolder()

  private func capture(_ device: String, _ more: [String: String] = [:]) throws
    -> Tool.Outcome
  {
    try Tool.run(
      "equalize", Tool.fixture("dark-room"), "-o", folder.path("out-\(device)"), "--frames", "1-2", "--device", device,
      "--channels", "each",
      environment: ["SAFELIGHT_CAPTURE": folder.path("captures")].merging(more) { $1 })
  }

  @Test(arguments: [("software", "cpu"), ("cpu", "software"), ("software", "software")])
  func whatOneDeviceDidAnotherDoesToo(_ from: String, _ to: String) throws {
    try capture(from).ends(0).says("captured 2 command buffers in \(folder.path("captures"))")
    let names = try folder.names("captures")
    #expect(names.count == 2 && names[0].hasPrefix("0001-") && names[1].hasPrefix("0002-"))
    let outcome = try Tool.run("replay", folder.path("captures"), "--device", to)
      .ends(0).prints("readback-1", "equal, 921600 samples")
    #expect(!outcome.output.contains("DIFFERS"))
    // The picture that went out is the one that was captured.
    let frame = try folder.image("out-\(from)/frame0001.png")
    let output = try folder.image("captures/\(names[0])/outputs/readback-1.png")
    #expect(frame.bytes == output.bytes)
  }

  @Test func theVariablesChooseCommandBuffers() throws {
    #expect(try capture("cpu", ["SAFELIGHT_CAPTURE_LABELS": "*frame0002*"]).code == 0)
    #expect(try folder.names("captures").count == 1)
    #expect(try capture("cpu", ["SAFELIGHT_CAPTURE_FIRST": "1"]).code == 0)
    #expect(try folder.names("captures").count == 2)
    #expect(try capture("cpu", ["SAFELIGHT_CAPTURE_FIRST": "none"]).code == 64)
  }

  @Test func aTextThatWasEditedGivesADifferenceAndPicturesOfIt() throws {
    #expect(try capture("software", ["SAFELIGHT_CAPTURE_FIRST": "1"]).code == 0)
    let name = try #require(folder.names("captures").first)
    let functions = "captures/\(name)/functions"
    let text = try #require(folder.names(functions).first { $0.contains("equalization_apply") })
    let path = folder.path("\(functions)/\(text)")
    let right = "pixel.g = equalized(pixel.g, 1u)"
    let source = try String(contentsOfFile: path, encoding: .utf8)
    #expect(source.contains(right) && source.hasPrefix("#version 310 es"))
    try source.replacingOccurrences(of: right, with: "pixel.g = equalized(pixel.g, 0u)").write(
      toFile: path, atomically: true, encoding: .utf8)
    let outcome = try Tool.run(
      "replay", folder.path("captures/\(name)"), "--device", "software", "--out", folder.path("replayed"), "--format",
      "json"
    ).ends(1)
    let listing = try outcome.json
    let first = try #require((listing["captures"] as? [[String: Any]])?.first)
    #expect(first["differs"] as? Bool == true)
    let rows = try #require(first["outputs"] as? [[String: Any]])
    let row = try #require(rows.first { $0["name"] as? String == "readback-1" })
    #expect(row["differing"] as? Int ?? 0 > 0 && row["count"] as? Int == 921600)
    #expect(try folder.names("replayed/\(name)").contains("readback-1.difference.png"))
    #expect(try folder.image("replayed/\(name)/readback-1.png").size.width == 640)
    // A second run replaces nothing.
    #expect(
      try Tool.run("replay", folder.path("captures/\(name)"), "--device", "software", "--out", folder.path("replayed"))
        .code == 73)
  }

  @Test func badInputHasItsCode() throws {
    #expect(try Tool.run("replay", folder.path("nowhere"), "--device", "cpu").code == 66)
    #expect(try Tool.run("replay", folder.path, "--device", "cpu").code == 66)
    #expect(try capture("cpu", ["SAFELIGHT_CAPTURE_FIRST": "1"]).code == 0)
    let name = try #require(folder.names("captures").first)
    let document = folder.path("captures/\(name)/capture.json")
    try "{}".write(toFile: document, atomically: true, encoding: .utf8)
    try Tool.run("replay", folder.path("captures"), "--device", "cpu").ends(65).says("\(document): version is missing")
  }

  /// Changes the document of the only capture in `folder`.
  private func edit(_ body: (inout [String: Any]) -> Void) throws {
    let name = try #require(folder.names("captures").first)
    let path = URL(filePath: folder.path("captures/\(name)/capture.json"))
    var document = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: path)) as? [String: Any])
    var capture = try #require(document["capture"] as? [String: Any])
    body(&capture)
    document["capture"] = capture
    try JSONSerialization.data(withJSONObject: document).write(to: path)
  }

  /// Equal is what was compared, and nothing else.
  @Test func aCaptureWithNothingToCompareIsNotEqual() throws {
    #expect(try capture("cpu", ["SAFELIGHT_CAPTURE_FIRST": "1"]).code == 0)
    let outcome = { try Tool.run("replay", folder.path("captures"), "--device", "cpu") }
    try edit { $0["outputs"] = [Any]() }
    try outcome().ends(65).says("nothing was compared: it left nothing behind")
    try edit { $0["failure"] = "the lamp went out" }
    try outcome().ends(65).says("it failed when it was captured, and does not fail here")
    try Tool.run("replay", folder.path("captures"), "--device", "cpu", "--format", "json")
      .ends(65).prints("\"unjudged\"")
  }

  /// JSON has no number for a difference from what is none.
  @Test func aDifferenceWithoutEndIsListed() throws {
    #expect(try capture("cpu", ["SAFELIGHT_CAPTURE_FIRST": "1"]).code == 0)
    let image = ["level": 0, "slice": 0]
    try edit { capture in
      guard var textures = capture["textures"] as? [[String: Any]], var texture = textures.first,
        var descriptor = texture["descriptor"] as? [String: Any],
        var commands = capture["commands"] as? [[String: Any]], var outputs = capture["outputs"] as? [[String: Any]]
      else { return }
      descriptor["pixelFormat"] = "r32Float"
      descriptor["size"] = ["width": 1, "height": 1]
      texture["name"] = "none"
      texture["descriptor"] = descriptor
      textures.append(texture)
      let upload: [String: Any] = [
        "texture": "none", "image": image, "pixelFormat": "r32Float",
        "region": ["x": 0, "y": 0, "size": ["width": 1, "height": 1]],
        // No number.
        "pixels": ["length": 4, "words": "2143289344"],
      ]
      commands.append(["encoder": "end", "place": "here", "upload": upload])
      outputs.append(["name": "none", "resource": "none", "image": image, "bytes": ["length": 4]])
      capture["textures"] = textures
      capture["commands"] = commands
      capture["outputs"] = outputs
    }
    try Tool.run("replay", folder.path("captures"), "--device", "cpu", "--format", "json")
      .ends(1).prints("\"largest\" : \"inf\"")
  }

  /// A failure that comes again is what was captured; another one is not.
  @Test func aFailureThatComesAgainIsAsCaptured() throws {
    #expect(try capture("software", ["SAFELIGHT_CAPTURE_FIRST": "1"]).code == 0)
    let name = try #require(folder.names("captures").first)
    let functions = "captures/\(name)/functions"
    let text = try #require(folder.names(functions).first { $0.contains("equalization_apply") })
    try "#version 310 es\nvoid main() { lamp; }\n".write(
      toFile: folder.path("\(functions)/\(text)"), atomically: true, encoding: .utf8)
    let outcome = { try Tool.run("replay", folder.path("captures"), "--device", "software") }
    try edit { $0["outputs"] = [Any]() }
    let failed = try outcome().ends(64)
    try edit { $0["failure"] = "the lamp went out" }
    #expect(try outcome().code == 64, "another failure")
    try edit { $0["failure"] = failed.errors }
    try outcome().ends(0).prints("it fails here for the same reason")
  }

  @Test func aCaptureThatCannotBeWrittenFailsTheRun() throws {
    try folder.write("a file", to: "captures")
    try capture("cpu").ends(73).says("capture of")
  }

  @Test func helpTeaches() throws {
    let help = try Tool.run("replay", "--help").output
    #expect(help.contains("SAFELIGHT_CAPTURE=captures safelight equalize"))
  }
}
