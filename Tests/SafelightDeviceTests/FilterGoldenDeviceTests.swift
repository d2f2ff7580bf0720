import GoldenTesting
import Safelight
import SafelightGolden
import TestSupport
import Testing

/// Every filter against one golden for all drivers, and the device against the twins.
@Suite(.golden(in: "../../fixtures/golden/filters")) struct FilterGoldenDeviceTests {
  /// A user's shader is not of this package, and has no twin.
  static let filters = FilterCatalogue.entries.map(\.description.name).filter { $0 != "shader" }

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

  /// What a filter is tried with: a part of a film's frame, with a ramp of alpha for those that are about alpha.
  static func frame(for filter: String) -> Image {
    let frame = ConformanceFrame.image
    guard filter.hasSuffix("premultiply") else { return frame }
    var bytes = frame.bytes
    for pixel in 0..<frame.size.area { bytes[4 * pixel + 3] = UInt8(pixel % 256) }
    return Image(size: frame.size, channels: .rgba, depth: .bits8, bytes: bytes)
  }

  /// The frame after the filter's first example.
  static func image(_ filter: String, _ device: Device) async throws -> Image {
    let entry = try #require(FilterCatalogue.entries.first { $0.description.name == filter })
    // That of a file is none that a catalogue could have.
    let example = filter == "match" ? "match='\(Fixtures.path("haze/haze.png"))'" : try #require(entry.examples.first)
    var frame = Self.frame(for: filter)
    if filter == "unpremultiply" { frame.color.alpha = .premultiplied }
    return try await FrameProcessor(device: device, chain: try FilterChain(parsing: example, device: device))
      .process(frame)
  }
}

/// The goldens themselves.
@Suite struct FilterGoldenTests {
  @Test func everyFilterHasOneAndItShowsTheFilter() throws {
    let folder = try GoldenFolder(Fixtures.path("golden/filters"))
    #expect(Set(folder.names) == Set(FilterGoldenDeviceTests.filters))
    for name in folder.names {
      let golden = try #require(try folder.golden(named: name)?.picture())
      let isSame = golden.bytes == FilterGoldenDeviceTests.frame(for: name).bytes
      #expect(
        isSame == ["passthrough", "mean"].contains(name),
        "\(name) leaves the frame as it is, so its golden proves nothing")
    }
  }
}
