import Foundation
import SafelightFrames
import SafelightImage
import Testing

/// `SAFELIGHT_CAPTURE` and `safelight replay`.
@Suite struct ReplayTests {
  private func capture(_ folder: TemporaryFolder, _ device: String, _ more: [String: String] = [:]) throws
    -> Tool.Outcome
  {
    try Tool.run(
      "equalize", Tool.fixture("dark-room"), "-o", folder.path("out-\(device)"), "--frames", "1-2", "--device", device,
      "--channels", "each",
      environment: ["SAFELIGHT_CAPTURE": folder.path("captures")].merging(more) { $1 })
  }

  @Test(arguments: [("software", "cpu"), ("cpu", "software"), ("software", "software")])
  func whatOneDeviceDidAnotherDoesToo(_ from: String, _ to: String) throws {
    let folder = try TemporaryFolder()
    let captured = try capture(folder, from)
    #expect(captured.code == 0, "\(captured.errors)")
    #expect(captured.errors.contains("captured 2 command buffers in \(folder.path("captures"))"))
    let names = try folder.names("captures")
    #expect(names.count == 2 && names[0].hasPrefix("0001-") && names[1].hasPrefix("0002-"))
    let outcome = try Tool.run("replay", folder.path("captures"), "--device", to)
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("readback-1") && outcome.output.contains("equal, 921600 samples"))
    #expect(!outcome.output.contains("DIFFERS"))
    // The picture that went out is the one that was captured.
    let frame = try PNGFile(reading: folder.path("out-\(from)/frame0001.png")).image
    let output = try PNGFile(reading: folder.path("captures/\(names[0])/outputs/readback-1.png")).image
    #expect(frame.bytes == output.bytes)
  }

  @Test func theVariablesChooseCommandBuffers() throws {
    let folder = try TemporaryFolder()
    #expect(try capture(folder, "cpu", ["SAFELIGHT_CAPTURE_LABELS": "*frame0002*"]).code == 0)
    #expect(try folder.names("captures").count == 1)
    #expect(try capture(folder, "cpu", ["SAFELIGHT_CAPTURE_FIRST": "1"]).code == 0)
    #expect(try folder.names("captures").count == 2)
    #expect(try capture(folder, "cpu", ["SAFELIGHT_CAPTURE_FIRST": "none"]).code == 64)
  }

  @Test func aTextThatWasEditedGivesADifferenceAndPicturesOfIt() throws {
    let folder = try TemporaryFolder()
    #expect(try capture(folder, "software", ["SAFELIGHT_CAPTURE_FIRST": "1"]).code == 0)
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
      "json")
    #expect(outcome.code == 1, "\(outcome.errors)")
    let listing = try #require(JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    let first = try #require((listing["captures"] as? [[String: Any]])?.first)
    #expect(first["differs"] as? Bool == true)
    let rows = try #require(first["outputs"] as? [[String: Any]])
    let row = try #require(rows.first { $0["name"] as? String == "readback-1" })
    #expect(row["differing"] as? Int ?? 0 > 0 && row["count"] as? Int == 921600)
    #expect(try folder.names("replayed/\(name)").contains("readback-1.difference.png"))
    #expect(try PNGFile(reading: folder.path("replayed/\(name)/readback-1.png")).image.size.width == 640)
    // A second run replaces nothing.
    #expect(
      try Tool.run("replay", folder.path("captures/\(name)"), "--device", "software", "--out", folder.path("replayed"))
        .code == 73)
  }

  @Test func badInputHasItsCode() throws {
    let folder = try TemporaryFolder()
    #expect(try Tool.run("replay", folder.path("nowhere"), "--device", "cpu").code == 66)
    #expect(try Tool.run("replay", folder.path, "--device", "cpu").code == 66)
    #expect(try capture(folder, "cpu", ["SAFELIGHT_CAPTURE_FIRST": "1"]).code == 0)
    let name = try #require(folder.names("captures").first)
    let document = folder.path("captures/\(name)/capture.json")
    try "{}".write(toFile: document, atomically: true, encoding: .utf8)
    let outcome = try Tool.run("replay", folder.path("captures"), "--device", "cpu")
    #expect(outcome.code == 65 && outcome.errors.contains("\(document): version is missing"), "\(outcome.errors)")
  }

  /// Changes the document of the only capture in `folder`.
  private func edit(_ folder: TemporaryFolder, _ body: (inout [String: Any]) -> Void) throws {
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
    let folder = try TemporaryFolder()
    #expect(try capture(folder, "cpu", ["SAFELIGHT_CAPTURE_FIRST": "1"]).code == 0)
    let outcome = { try Tool.run("replay", folder.path("captures"), "--device", "cpu") }
    try edit(folder) { $0["outputs"] = [Any]() }
    let empty = try outcome()
    #expect(empty.code == 65, "\(empty.output)")
    #expect(empty.errors.contains("nothing was compared: it left nothing behind"), "\(empty.errors)")
    try edit(folder) { $0["failure"] = "the lamp went out" }
    let mended = try outcome()
    #expect(mended.code == 65)
    #expect(mended.errors.contains("it failed when it was captured, and does not fail here"), "\(mended.errors)")
    let listing = try Tool.run("replay", folder.path("captures"), "--device", "cpu", "--format", "json")
    #expect(listing.code == 65 && listing.output.contains("\"unjudged\""))
  }

  /// JSON has no number for a difference from what is none.
  @Test func aDifferenceWithoutEndIsListed() throws {
    let folder = try TemporaryFolder()
    #expect(try capture(folder, "cpu", ["SAFELIGHT_CAPTURE_FIRST": "1"]).code == 0)
    let image = ["level": 0, "slice": 0]
    try edit(folder) { capture in
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
    let outcome = try Tool.run("replay", folder.path("captures"), "--device", "cpu", "--format", "json")
    #expect(outcome.code == 1, "\(outcome.errors)")
    #expect(outcome.output.contains("\"largest\" : \"inf\""), "\(outcome.output)")
  }

  /// A failure that comes again is what was captured; another one is not.
  @Test func aFailureThatComesAgainIsAsCaptured() throws {
    let folder = try TemporaryFolder()
    #expect(try capture(folder, "software", ["SAFELIGHT_CAPTURE_FIRST": "1"]).code == 0)
    let name = try #require(folder.names("captures").first)
    let functions = "captures/\(name)/functions"
    let text = try #require(folder.names(functions).first { $0.contains("equalization_apply") })
    try "#version 310 es\nvoid main() { lamp; }\n".write(
      toFile: folder.path("\(functions)/\(text)"), atomically: true, encoding: .utf8)
    let outcome = { try Tool.run("replay", folder.path("captures"), "--device", "software") }
    try edit(folder) { $0["outputs"] = [Any]() }
    let failed = try outcome()
    #expect(failed.code == 64, "\(failed.errors)")
    try edit(folder) { $0["failure"] = "the lamp went out" }
    #expect(try outcome().code == 64, "another failure")
    try edit(folder) { $0["failure"] = failed.errors }
    let again = try outcome()
    #expect(again.code == 0, "\(again.errors)")
    #expect(again.output.contains("it fails here for the same reason"))
  }

  @Test func aCaptureThatCannotBeWrittenFailsTheRun() throws {
    let folder = try TemporaryFolder()
    try "a file".write(toFile: folder.path("captures"), atomically: true, encoding: .utf8)
    let outcome = try capture(folder, "cpu")
    #expect(outcome.code == 73 && outcome.errors.contains("capture of"), "\(outcome.errors)")
  }

  @Test func helpTeaches() throws {
    let help = try Tool.run("replay", "--help").output
    #expect(help.contains("SAFELIGHT_CAPTURE=captures safelight equalize"))
  }
}
