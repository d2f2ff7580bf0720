import SafelightGLES
import SafelightImage
import Testing

@Suite struct DeviceSelectorTests {
  @Test(arguments: [
    ("auto", DeviceSelector.auto), ("hardware", .hardware), ("software", .software), ("cpu", .cpu),
    ("index:0", .index(0)),
    ("index:12", .index(12)), ("cuda:3", .cuda(3)), ("node:/dev/dri/renderD128", .node("/dev/dri/renderD128")),
    ("node:/dev/dri/by-path/pci-0000:41:00.0-render", .node("/dev/dri/by-path/pci-0000:41:00.0-render")),
    ("pci:0000:41:00.0", .pci("0000:41:00.0")),
  ])
  func textAndValueMeanTheSame(_ text: String, _ selector: DeviceSelector) throws {
    #expect(try DeviceSelector(parsing: text) == selector)
    #expect(selector.description == text)
    #expect(try DeviceSelector(parsing: selector.description) == selector)
  }

  @Test func addressesAreReadInEitherCase() throws {
    #expect(try DeviceSelector(parsing: "pci:0000:C1:00.0") == .pci("0000:c1:00.0"))
  }

  @Test(arguments: [
    "", ":", "gpu", "Auto", " auto", "auto ", "auto:", "cpu:0", "hardware:1", "software:", "index", "index:", "index:x",
    "index:-1", "index:1.5", "index: 1", "index:0x10", "index:99999999999999999999", "cuda:", "cuda:-2", "node",
    "node:",
    "node:renderD128", "pci", "pci:", "0", "/dev/dri/renderD128",
  ])
  func anythingElseIsRefusedWithTheForms(_ text: String) {
    let error = #expect(throws: SafelightError.self) { try DeviceSelector(parsing: text) }
    #expect(error?.kind == .usage)
    #expect(error?.what == "device '\(text)'")
    for form in ["auto", "hardware", "software", "cpu", "index:N", "node:/", "pci:", "cuda:N"] {
      #expect(error?.remedy?.contains(form) == true, "the remedy for '\(text)' lacks \(form)")
    }
  }

  @Test func platformsHaveNames() {
    #expect(DevicePlatform.allCases.map(\.rawValue) == ["auto", "device", "gbm", "surfaceless"])
  }
}
