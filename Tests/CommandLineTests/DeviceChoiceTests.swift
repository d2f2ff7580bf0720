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
    let folder = try TemporaryFolder()
    let outcome = try Tool.run(
      "equalize", Tool.fixture("haze/haze.png"), "-o", folder.path("out"), "--device", selector)
    #expect(outcome.code == 69)
    #expect(outcome.errors.contains(selector))
    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(try folder.names() == [])
  }

  /// Mesa renders in software behind a node that it has no driver for; that is not the device that was named.
  @Test func aNodeWithoutADriverIsNotReplacedBySoftware() throws {
    let folder = try TemporaryFolder()
    let arguments = ["equalize", Tool.fixture("haze/haze.png"), "-o", folder.path("out"), "--device", "node:/dev/zero"]
    func run(_ environment: [String: String]) throws -> Tool.Outcome {
      let (process, output, errors) = try Tool.start(arguments, environment: environment)
      return try Tool.end(process, output, errors)
    }
    let refused = try run(["GBM_ALWAYS_SOFTWARE": "", "LIBGL_ALWAYS_SOFTWARE": ""])
    #expect(refused.code == 69)
    #expect(try folder.names() == [])
    #expect(try run(["GBM_ALWAYS_SOFTWARE": "1"]).code == 0)
  }

  /// Without a driver EGL lists nothing; the CPU needs nothing of it.
  @Test func withoutADriverTheCPUStillWorks() throws {
    let folder = try TemporaryFolder()
    let none = ["__EGL_VENDOR_LIBRARY_FILENAMES": folder.path("none.json")]
    #expect(try Tool.run("devices", "--device", "cpu", environment: none).code == 0)
    let any = try Tool.run("devices", environment: none)
    #expect(any.code == 69)
    #expect(any.errors.contains("no EGL driver is installed") && any.errors.contains("apt-get install"))
    let outcome = try Tool.run(
      "equalize", Tool.fixture("haze/haze.png"), "-o", folder.path("out"), "--device", "cpu", environment: none)
    #expect(outcome.code == 0)
  }

  @Test func aMalformedSelectorIsAUsageError() throws {
    let outcome = try Tool.run("devices", "--device", "gpu")
    #expect(outcome.code == 64)
    #expect(outcome.errors.contains("hardware"))
  }

  @Test func softwareSaysThatItIs() throws {
    let folder = try TemporaryFolder()
    let outcome = try Tool.run(
      "histogram", Tool.fixture("haze/haze.png"), "-o", folder.path("counts.json"),
      environment: ["SAFELIGHT_DEVICE": "software"])
    #expect(outcome.code == 0)
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

  /// The fastest way to the exact bytes: a GPU, else the twins; software rendering for what only OpenGL ES can answer.
  @Test func withoutAGPUFramesGoThroughTheTwins() throws {
    let folder = try TemporaryFolder()
    func run(_ output: String, _ more: [String], _ environment: [String: String] = [:]) throws -> String {
      let arguments = ["equalize", Tool.fixture("haze/haze.png"), "-o", folder.path(output), "--device", "auto"]
      let (process, output, errors) = try Tool.start(arguments + more, environment: environment)
      let outcome = try Tool.end(process, output, errors)
      #expect(outcome.code == 0, "\(outcome.errors)")
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
    for other in ["compared", "platform", "shaders"] {
      #expect(
        FileManager.default.contentsEqual(
          atPath: folder.path("auto/haze.png"), andPath: folder.path("\(other)/haze.png")))
    }
    #expect(try !Tool.run("conform", "invert").errors.contains(twins))
  }
}
