import GoldenTesting
import Safelight
import SafelightGolden
import TestSupport
import Testing

/// What kernels make where no filter shows it, against one golden for all drivers and forms, and the device against the twins.
@Suite(.golden(in: "../../../fixtures/golden/kernels")) struct KernelGoldenDeviceTests {
  @Test(.golden(comparisons: 1), arguments: KernelPicture.all, TestDevice.all)
  func aPictureIsTheGolden(_ picture: KernelPicture, _ test: TestDevice) throws {
    let device = try test.open()
    let image = try picture.make(device)
    if device.info.isCPU {
      try expectGolden(try Output<CPU>(image, by: device), picture.name)
    } else {
      try expectGolden(try Output<GPU>(image, by: device), picture.name)
    }
  }

  @Test(.golden(comparisons: 1), arguments: KernelPicture.all, TestDevice.gles)
  func aPictureIsThatOfTheTwins(_ picture: KernelPicture, _ test: TestDevice) throws {
    let (device, twins) = (try test.open(), try Device.open(.cpu))
    try expectConforms(
      try Output(try picture.make(device), by: device), to: try Output(try picture.make(twins), by: twins))
  }
}

/// The goldens themselves, and what they reach.
@Suite struct KernelGoldenTests {
  @Test func everyPictureHasAGoldenAndNoOtherIsThere() throws {
    let folder = try GoldenFolder(Fixtures.path("golden/kernels"))
    #expect(Set(folder.names) == Set(KernelPicture.all.map(\.name)))
  }

  /// No picture without its row, no row without its picture, and each is what was approved.
  @Test(arguments: ["examples", "filters", "kernels", "readme"])
  func goldensAreSound(_ folder: String) throws {
    #expect(try GoldenFolder(Fixtures.path("golden/\(folder)")).inspect().map(\.text) == [])
  }

  /// No function of a kernel, and no form of one, is without a golden: of its own or of a filter.
  @Test func everyFunctionRunsForAGolden() async throws {
    let collector = CaptureCollector()
    let device = try Device.open(.cpu, options: DeviceOptions(capture: collector))
    for filter in FilterGoldenDeviceTests.filters { _ = try await FilterGoldenDeviceTests.image(filter, device) }
    for picture in KernelPicture.all { _ = try picture.make(device) }
    let reached = Set(collector.captures.flatMap { $0.manifest.functions.map(\.function) })
    let functions = Set(TwinLibrary.kernels.names)
    #expect(functions.count > 25)
    #expect(functions.subtracting(reached) == [], "no golden shows these; add a KernelPicture")
  }
}
