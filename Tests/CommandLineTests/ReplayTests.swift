import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// `SAFELIGHT_CAPTURE` and `safelight replay`.
@Suite struct ReplayTests {
  private let folder = TemporaryFolder()

  @discardableResult
  private func capture(_ device: String, _ variable: String = "", code: Int32 = 0) throws -> Tool.Outcome {
    try folder.shell(
      """
      SAFELIGHT_CAPTURE=captures \(variable) safelight equalize \(Tool.darkRoom) -o out-\(device) --frames 1-2 \
        --channels each --device \(device)
      """, code: code)
  }

  /// Captures one command buffer; the name of its folder.
  private func captureOne(_ device: String) throws -> String {
    try capture(device, "SAFELIGHT_CAPTURE_FIRST=1")
    return try #require(folder.names("captures").first)
  }

  /// The text of the function that applies the table, in the capture `name`.
  private func functionPath(_ name: String) throws -> String {
    let functions = "captures/\(name)/functions"
    let text = try #require(folder.names(functions).first { $0.contains("lookup") })
    return "\(functions)/\(text)"
  }

  @Test(arguments: [("software", "cpu"), ("cpu", "software"), ("software", "software")])
  func whatOneDeviceDidAnotherDoesToo(_ from: String, _ to: String) throws {
    try capture(from).says("captured 2 command buffers in captures")
    let names = try folder.names("captures")
    #expect(names.count == 2 && names[0].hasPrefix("0001-") && names[1].hasPrefix("0002-"))
    let outcome = try folder.shell("safelight replay captures --device \(to)")
      .prints("readback-1", "equal, 921600 samples")
    #expect(!outcome.output.contains("DIFFERS"))
    // The picture that went out is the one that was captured.
    let frame = try folder.image("out-\(from)/frame0001.png")
    let output = try folder.image("captures/\(names[0])/outputs/readback-1.png")
    #expect(frame.bytes == output.bytes)
  }

  @Test func theVariablesChooseCommandBuffers() throws {
    try capture("cpu", "SAFELIGHT_CAPTURE_LABELS='*frame0002*'")
    #expect(try folder.names("captures").count == 1)
    try capture("cpu", "SAFELIGHT_CAPTURE_FIRST=1")
    #expect(try folder.names("captures").count == 2)
    try capture("cpu", "SAFELIGHT_CAPTURE_FIRST=none", code: 64)
  }

  @Test func aTextThatWasEditedGivesADifferenceAndPicturesOfIt() throws {
    let name = try captureOne("software")
    let (path, right) = (try functionPath(name), "pixel.g = outputs(pixel.g).g")
    let source = try folder.text(path)
    #expect(source.contains(right) && source.hasPrefix("#version 310 es"))
    try folder.write(source.replacing(right, with: "pixel.g = outputs(pixel.g).r"), to: path)
    let line = "safelight replay captures/\(name) --device software --out replayed"
    let listing = try folder.shell("\(line) --format json", code: 1).json
    let first = try #require((listing["captures"] as? [[String: Any]])?.first)
    #expect(first["differs"] as? Bool == true)
    let rows = try #require(first["outputs"] as? [[String: Any]])
    let row = try #require(rows.first { $0["name"] as? String == "readback-1" })
    #expect(row["differing"] as? Int ?? 0 > 0 && row["count"] as? Int == 921600)
    #expect(try folder.names("replayed/\(name)").contains("readback-1.difference.png"))
    #expect(try folder.image("replayed/\(name)/readback-1.png").size.width == 640)
    // A second run replaces nothing.
    try folder.shell(line, code: 73)
  }

  @Test func badInputHasItsCode() throws {
    try folder.safelight("replay nowhere", code: 66)
    try folder.safelight("replay .", code: 66)
    let document = "captures/\(try captureOne("cpu"))/capture.json"
    try folder.write("{}", to: document)
    try folder.safelight("replay captures", code: 65).says("\(document): version is missing")
  }

  /// Changes the document of the capture `name`.
  private func edit(_ name: String, _ body: (inout [String: Any]) -> Void) throws {
    var document = try folder.json("captures/\(name)/capture.json")
    var capture = try #require(document["capture"] as? [String: Any])
    body(&capture)
    document["capture"] = capture
    try JSONSerialization.data(withJSONObject: document)
      .write(to: URL(filePath: folder.path("captures/\(name)/capture.json")))
  }

  /// Equal is what was compared, and nothing else.
  @Test func aCaptureWithNothingToCompareIsNotEqual() throws {
    let name = try captureOne("cpu")
    try edit(name) { $0["outputs"] = [Any]() }
    try folder.safelight("replay captures", code: 65).says("nothing was compared: it left nothing behind")
    try edit(name) { $0["failure"] = "the lamp went out" }
    try folder.safelight("replay captures", code: 65)
      .says("it failed when it was captured, and does not fail here")
    try folder.safelight("replay captures --format json", code: 65).prints("\"unjudged\"")
  }

  /// JSON has no number for a difference from what is none.
  @Test func aDifferenceWithoutEndIsListed() throws {
    let image = ["level": 0, "slice": 0]
    try edit(captureOne("cpu")) { capture in
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
    try folder.safelight("replay captures --format json", code: 1).prints("\"largest\" : \"inf\"")
  }

  /// A failure that comes again is what was captured; another one is not.
  @Test func aFailureThatComesAgainIsAsCaptured() throws {
    let name = try captureOne("software")
    try folder.write("#version 310 es\nvoid main() { lamp; }\n", to: functionPath(name))
    let line = "safelight replay captures --device software"
    try edit(name) { $0["outputs"] = [Any]() }
    let failed = try folder.shell(line, code: 64)
    try edit(name) { $0["failure"] = "the lamp went out" }
    // Another failure.
    try folder.shell(line, code: 64)
    try edit(name) { $0["failure"] = failed.errors }
    try folder.shell(line).prints("it fails here for the same reason")
  }

  @Test func aCaptureThatCannotBeWrittenFailsTheRun() throws {
    try folder.write("a file", to: "captures")
    try capture("cpu", code: 73).says("capture of")
  }

  @Test func helpTeaches() throws {
    let help = try Tool.run("replay", "--help").output
    #expect(help.contains("SAFELIGHT_CAPTURE=captures safelight equalize"))
  }
}
