import Foundation
import Testing

@Suite struct DeviceChoiceTests {
  @Test func devicesExplainsItsChoice() throws {
    let outcome = try Tool.run("devices", "--format", "json")
    #expect(outcome.code == 0)
    let listing = try #require(
      JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: [[String: Any]]])
    let devices = try #require(listing["devices"])
    #expect(devices.count >= 2)
    #expect(devices.count { $0["chosen"] as? Bool == true } == 1)
    for (index, device) in devices.enumerated() {
      #expect(device["index"] as? Int == index)
      #expect((device["reason"] as? String)?.isEmpty == false)
      for key in ["name", "platform", "node", "software", "version", "usable"] { #expect(device[key] != nil) }
    }
    let text = try Tool.run("devices").output
    #expect(text.contains("* 0") && text.contains("chosen:") && text.contains("not chosen:"))
  }

  /// This machine has no such devices; a selector that names one must not take another.
  @Test(arguments: ["node:/dev/dri/renderD191", "pci:ffff:ff:1f.7", "cuda:99", "index:99"])
  func anExplicitDeviceNeverFallsBack(_ selector: String) throws {
    let folder = try TemporaryFolder()
    let outcome = try Tool.run(
      "equalize", Tool.fixture("haze/haze.png"), "-o", folder.path("out"), "--device", selector)
    #expect(outcome.code == 69)
    #expect(outcome.errors.contains(selector))
    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(try folder.names() == [])
  }

  @Test func aMalformedSelectorIsAUsageError() throws {
    let outcome = try Tool.run("devices", "--device", "gpu")
    #expect(outcome.code == 64)
    #expect(outcome.errors.contains("hardware"))
  }

  @Test func softwareSaysThatItIs() throws {
    let outcome = try Tool.run(
      "histogram", Tool.fixture("haze/haze.png"), "-o", "/dev/null", environment: ["SAFELIGHT_DEVICE": "software"])
    #expect(outcome.errors.contains("llvmpipe"))
  }

  @Test func theEnvironmentChoosesADeviceToo() throws {
    let folder = try TemporaryFolder()
    let outcome = try Tool.run(
      "histogram", Tool.fixture("haze/haze.png"), "-o", folder.path("counts.json"),
      environment: ["SAFELIGHT_DEVICE": "cpu"])
    #expect(outcome.code == 0)
    #expect(outcome.errors.contains("CPU"))
  }
}
