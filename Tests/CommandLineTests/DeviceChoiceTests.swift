import Foundation
import TestSupport
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
    let outcome = try folder.shell("safelight equalize \(Tool.haze) -o out --device '\(selector)'", code: 69)
      .says(selector)
    #expect(outcome.errors.split(separator: "\n").count == 1)
    #expect(try folder.names() == [])
  }

  /// Mesa renders in software behind a node that it has no driver for; that is not the device that was named.
  @Test func aNodeWithoutADriverIsNotReplacedBySoftware() throws {
    let line = "safelight equalize \(Tool.haze) -o out --device node:/dev/zero"
    try folder.shell("GBM_ALWAYS_SOFTWARE= LIBGL_ALWAYS_SOFTWARE= \(line)", code: 69)
    #expect(try folder.names() == [])
    try folder.shell("GBM_ALWAYS_SOFTWARE=1 \(line)")
  }

  /// Without a driver EGL lists nothing; the CPU needs nothing of it.
  @Test func withoutADriverTheCPUStillWorks() throws {
    let none = "export __EGL_VENDOR_LIBRARY_FILENAMES=$PWD/none.json"
    try folder.shell("\(none); safelight devices --device cpu; safelight equalize \(Tool.haze) -o out --device cpu")
    // The variable hides the drivers, and not that there are none.
    try folder.shell("\(none); safelight devices", code: 69)
      .says("__EGL_VENDOR_LIBRARY_FILENAMES takes the place", "none.json cannot be read", "unset __EGL_VENDOR_LIBRARY")
      .prints("variables in force: __EGL_VENDOR_LIBRARY_FILENAMES=\(folder.path("none.json"))")
    try folder.shell("echo {} >none.json; \(none); safelight devices", code: 69).says("none.json can be loaded")
    try folder.shell("__EGL_VENDOR_LIBRARY_DIRS=$PWD/no safelight devices", code: 69)
      .says("__EGL_VENDOR_LIBRARY_DIRS takes the place", "/no cannot be read")
  }

  /// That no GPU works is a warning, and no progress.
  @Test(arguments: ["equalize \(Tool.haze) -o out", "histogram \(Tool.haze) -o counts.json"])
  func progressDoesNotHideThatNoGPUWorks(_ line: String) throws {
    let none = "__EGL_VENDOR_LIBRARY_FILENAMES=$PWD/none.json safelight"
    try folder.shell("\(none) \(line) --progress none").says(
      only: "safelight: no GPU works here (see safelight devices), running on the CPU (Swift twins)\n")
    try folder.shell("\(none) \(line) -q").says(only: "")
    try folder.shell("\(none) \(line) --progress none --device cpu").says(only: "")
  }

  @Test func aMalformedSelectorIsAUsageError() throws {
    try Tool.run("devices", "--device", "gpu").ends(64).says("hardware")
  }

  @Test(arguments: [("software", "llvmpipe"), ("cpu", "CPU")])
  func theEnvironmentChoosesADeviceToo(_ device: String, _ name: String) throws {
    try folder.shell("SAFELIGHT_DEVICE=\(device) safelight histogram \(Tool.haze) -o counts.json").says(name)
  }

  /// The fastest way to the exact bytes: a GPU, else the twins; software rendering for what only OpenGL ES can answer.
  @Test func withoutAGPUFramesGoThroughTheTwins() throws {
    func run(_ output: String, _ more: String = "", _ variable: String = "") throws -> String {
      try folder.shell("\(variable) safelight equalize \(Tool.haze) -o \(output) --device auto \(more)").errors
    }
    let twins = "running on the CPU (Swift twins)"
    let said = try run("auto")
    #expect(said.contains("no GPU works here") == said.contains(twins), "\(said)")
    #expect(try Tool.run("devices", "--device", "hardware").code == (said.contains(twins) ? 69 : 0))
    #expect(try Tool.run("devices").output.contains("* -  CPU") == said.contains(twins))
    #expect(try !run("compared", "--verify-with cpu").contains(twins))
    #expect(try !run("platform", "--platform surfaceless").contains(twins))
    let shaders = Tool.package.appending(path: "Shaders").path
    #expect(try !run("shaders", "", "SAFELIGHT_SHADERS='\(shaders)'").contains(twins))
    for other in ["compared", "platform", "shaders"] { #expect(folder.areEqual("auto/haze.png", "\(other)/haze.png")) }
    #expect(try !Tool.run("conform", "invert").errors.contains(twins))
  }
}
