import Foundation
import Testing

@Suite struct DeviceChoiceTests {
  private let folder = TemporaryFolder()

  @Test func devicesExplainsItsChoice() throws {
    let outcome = try Tool.run("devices", "--format", "json").ends(0)
    let devices = try #require(outcome.json["devices"] as? [[String: Any]])
    #expect(devices.count >= 2)
    #expect(devices.count { $0["chosen"] as? Bool == true } == 1)
    for (index, device) in devices.enumerated() {
      #expect(device["index"] as? Int == index)
      #expect((device["reason"] as? String)?.isEmpty == false)
      #expect((device["features"] as? [String])?.isEmpty == (device["usable"] as? Bool == true ? false : nil))
      for key in ["name", "platform", "node", "software", "version", "usable"] { #expect(device[key] != nil) }
    }
    let text = try Tool.run("devices").output
    #expect(
      text.contains("* 0") && text.contains("beyond OpenGL ES 3.1: ") && text.contains("chosen:")
        && text.contains("not chosen:"))
    #expect(text.contains("workarounds: loop limit, one llvmpipe context at a time") == text.contains("llvmpipe"))
  }

  /// This machine has no such devices; a selector that names one must not take another.
  @Test(arguments: ["node:/dev/dri/renderD191", "pci:ffff:ff:1f.7", "cuda:99", "index:99"])
  func anExplicitDeviceNeverFallsBack(_ selector: String) throws {
    let outcome = try Tool.run(
      "equalize", Tool.fixture("haze/haze.png"), "-o", folder.path("out"), "--device", selector
    ).ends(69).says(selector)
    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(try folder.names() == [])
  }

  /// Mesa renders in software behind a node that it has no driver for; that is not the device that was named.
  @Test func aNodeWithoutADriverIsNotReplacedBySoftware() throws {
    let arguments = ["equalize", Tool.fixture("haze/haze.png"), "-o", folder.path("out"), "--device", "node:/dev/zero"]
    func run(_ environment: [String: String]) throws -> Tool.Outcome {
      try Tool.run(arguments, environment: environment)
    }
    try run(["GBM_ALWAYS_SOFTWARE": "", "LIBGL_ALWAYS_SOFTWARE": ""]).ends(69)
    #expect(try folder.names() == [])
    #expect(try run(["GBM_ALWAYS_SOFTWARE": "1"]).code == 0)
  }

  /// Without a driver EGL lists nothing; the CPU needs nothing of it.
  @Test func withoutADriverTheCPUStillWorks() throws {
    let none = ["__EGL_VENDOR_LIBRARY_FILENAMES": folder.path("none.json")]
    #expect(try Tool.run("devices", "--device", "cpu", environment: none).code == 0)
    try Tool.run("devices", environment: none).ends(69).says("no EGL driver is installed", "apt-get install")
    try Tool.run(
      "equalize", Tool.fixture("haze/haze.png"), "-o", folder.path("out"), "--device", "cpu", environment: none
    ).ends(0)
  }

  @Test func aMalformedSelectorIsAUsageError() throws {
    try Tool.run("devices", "--device", "gpu").ends(64).says("hardware")
  }

  @Test func softwareSaysThatItIs() throws {
    try Tool.run(
      "histogram", Tool.fixture("haze/haze.png"), "-o", folder.path("counts.json"),
      environment: ["SAFELIGHT_DEVICE": "software"]
    ).ends(0).says("llvmpipe")
  }

  @Test func theEnvironmentChoosesADeviceToo() throws {
    try Tool.run(
      "histogram", Tool.fixture("haze/haze.png"), "-o", folder.path("counts.json"),
      environment: ["SAFELIGHT_DEVICE": "cpu"]
    ).ends(0).says("CPU")
  }

  /// The fastest way to the exact bytes: a GPU, else the twins; software rendering for what only OpenGL ES can answer.
  @Test func withoutAGPUFramesGoThroughTheTwins() throws {
    func run(_ output: String, _ more: [String], _ environment: [String: String] = [:]) throws -> String {
      let arguments = ["equalize", Tool.fixture("haze/haze.png"), "-o", folder.path(output), "--device", "auto"]
      let outcome = try Tool.run(arguments + more, environment: environment).ends(0)
      return outcome.errors
    }
    let twins = "running on the CPU (Swift twins)"
    let said = try run("auto", [])
    #expect(said.contains("no GPU works here") == said.contains(twins), "\(said)")
    #expect(try Tool.run("devices", "--device", "hardware").code == (said.contains(twins) ? 69 : 0))
    #expect(try Tool.run("devices").output.contains("* -  CPU") == said.contains(twins))
    #expect(try !run("compared", ["--verify-with", "cpu"]).contains(twins))
    #expect(try !run("platform", ["--platform", "surfaceless"]).contains(twins))
    let shaders = Tool.package.appending(path: "Shaders").path
    #expect(try !run("shaders", [], ["SAFELIGHT_SHADERS": shaders]).contains(twins))
    for other in ["compared", "platform", "shaders"] { #expect(folder.areEqual("auto/haze.png", "\(other)/haze.png")) }
    #expect(try !Tool.run("conform", "invert").errors.contains(twins))
  }
}
