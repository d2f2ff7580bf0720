import GoldenTesting
import SafelightGolden
import TestSupport
import Testing

@testable import Safelight

/// Every filter against one golden for all drivers, and the device against the twins.
@Suite(.golden(in: "../../fixtures/golden/filters")) struct FilterGoldenDeviceTests {
  private static let filters = FilterCatalogue.entries.map(\.description.name)

  @Test(.golden(comparisons: 1), arguments: filters, TestDevice.all)
  func aFrameIsTheGolden(_ filter: String, _ test: TestDevice) async throws {
    let device = try test.open()
    let image = try await Self.image(filter, device)
    if device.info.isCPU {
      try expectGolden(try Output<CPU>(image, by: device), filter)
    } else {
      try expectGolden(try Output<GPU>(image, by: device), filter)
    }
  }

  @Test(arguments: filters, TestDevice.gles)
  func aFrameIsThatOfTheTwins(_ filter: String, _ test: TestDevice) async throws {
    let (device, twins) = (try test.open(), try Device.open(.cpu))
    try expectConforms(
      try Output(try await Self.image(filter, device), by: device),
      to: try Output(try await Self.image(filter, twins), by: twins))
  }

  @Test func everyGoldenHasAFilter() throws {
    let folder = try GoldenFolder(Fixtures.path("golden/filters"))
    #expect(Set(folder.names) == Set(Self.filters))
    try expectGolden(
      try PNGFile(reading: Fixtures.path("golden/filters/passthrough.png")).image,
      "passthrough")
  }

  /// The frame after the filter's first example.
  private static func image(_ filter: String, _ device: Device) async throws -> Image {
    let entry = try #require(FilterCatalogue.entries.first { $0.description.name == filter })
    // That of a file is none that a catalogue could have.
    let example = filter == "match" ? "match='\(Fixtures.path("haze/haze.png"))'" : try #require(entry.examples.first)
    var frame = ConformanceFrame.image
    if filter == "unpremultiply" { frame.color.alpha = .premultiplied }
    return try await FrameProcessor(device: device, chain: try FilterChain(parsing: example, device: device))
      .process(frame)
  }
}
