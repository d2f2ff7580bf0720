import Safelight
import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// Filters that make each pixel from the pixel at its place are joined: one function, or one table, instead of several.
@Suite struct JoinedFilterDeviceTests {
  private struct Kind {
    let channels: Channels
    let depth: SampleDepth
    let size: Size
    var pipeline = PipelineKind.render

    var format: PixelFormat { PixelFormat(channels: channels, depth: depth) }
  }

  /// Pictures of all formats; those of the last two are cut into tiles where textures are small.
  private static let kinds = [
    Kind(channels: .rgba, depth: .bits8, size: Size(61, 7)),
    Kind(channels: .rgb, depth: .bits16, size: Size(17, 11), pipeline: .compute),
    Kind(channels: .gray, depth: .bits8, size: Size(33, 5)),
    Kind(channels: .grayAlpha, depth: .bits8, size: Size(2051, 3), pipeline: .compute),
    Kind(channels: .gray, depth: .bits16, size: Size(3, 2053)),
  ]

  /// The examples of all filters of which two can be joined.
  private static func examples(on device: Device) throws -> [FilterCall] {
    try FilterCatalogue.entries.filter { $0.description.parameter("with") == nil }.flatMap(\.examples).compactMap {
      text in
      let call = try FilterSyntax.parse(text, catalogue: FilterCatalogue.descriptions)
      return try FilterChain(call + call, device: device).filters.count == 1 ? call[0] : nil
    }
  }

  private static func result(
    _ calls: [FilterCall], _ device: Device, _ kind: Kind, joins: Bool
  ) async throws -> Result<Image, SafelightError> {
    let chain = try FilterChain(calls, device, kind.pipeline, joins: joins)
    // Eight at most become one.
    #expect(joins ? chain.filters.count == (calls.count + 7) / 8 : chain.filters.count == calls.count, "\(calls)")
    var image = SyntheticImage.noise.image(kind.size, channels: kind.channels, depth: kind.depth)
    if calls[0].name == "unpremultiply" { image.color.alpha = .premultiplied }
    do {
      return .success(try await FrameProcessor(device: device, chain: chain).process(image))
    } catch let error as SafelightError where error.kind == .unsupported {
      return .failure(error)
    }
  }

  /// Compares both; returns false if the filters refuse such pictures.
  private static func areSame(_ calls: [FilterCall], _ device: Device, _ kind: Kind) async throws -> Bool {
    let joined = try await result(calls, device, kind, joins: true)
    switch (joined, try await result(calls, device, kind, joins: false)) {
    case (.success(let one), .success(let other)):
      #expect(one == other, "\(calls) of \(kind)")
      return true
    case (.failure(let one), .failure(let other)): #expect(one.description == other.description)
    case (_, let single): Issue.record("\(calls) of \(kind): \(joined) and \(single)")
    }
    return false
  }

  /// Each example is the first of three, the second and the last, of pictures of several kinds.
  @Test(arguments: TestDevice.all) func joinedFiltersGiveTheSamePictures(_ test: TestDevice) async throws {
    let device = try test.open()
    let examples = try Self.examples(on: device)
    #expect(Set(examples.map(\.name)).isSuperset(of: ["gamma", "lut", "saturation", "threshold", "color-matrix"]))
    var compared = 0
    for number in examples.indices {
      // Neighbors are often the same filter.
      let calls = [0, 5, 11].map { examples[(number + $0) % examples.count] }
      for kind in [Self.kinds[number % 5], Self.kinds[(number + 2) % 5]] where device.canRead(kind.format) {
        if try await Self.areSame(calls, device, kind) { compared += 1 }
      }
    }
    #expect(compared >= examples.count)
  }

  /// More than a function has blocks or textures for, a filter that keeps gray pictures as they are, and tables.
  @Test(arguments: TestDevice.all) func chainsOfManyFilters(_ test: TestDevice) async throws {
    let device = try test.open()
    let cube = "DOMAIN_MIN -1 0 0%0ALUT_3D_SIZE 2" + String(repeating: "%0A1 0 0.5%0A0.3 0.7 1", count: 4)
    for text in [
      (0..<20).map { "saturation=1.\($0),hue=\($0)" }.joined(separator: ","),
      String(repeating: "lut=file='data:,\(cube)',", count: 8) + "invert",
      "saturation=0.5,gamma=2,hue=30,vibrance=0.5,posterize=9",
      "gamma=2,curves=0/0.1 1/0.8,levels=gamma=0.5,invert,posterize=50",
    ] {
      let calls = try FilterSyntax.parse(text, catalogue: FilterCatalogue.descriptions)
      var compared = 0
      for kind in Self.kinds where device.canRead(kind.format) {
        if try await Self.areSame(calls, device, kind) { compared += 1 }
      }
      #expect(compared > 1)
    }
  }

  /// A filter that leaves pictures of one size as they are makes another picture of others.
  @Test(arguments: ["crop=width=2:height=2", "crop=width=3:height=5", "resize=width=2:height=2", "crop=height=2"])
  func onlyFiltersThatKeepTheSizeAreJoined(_ filter: String) async throws {
    let device = try Device.open(.cpu)
    let chain = try FilterChain(parsing: "\(filter),saturation=2", device: device)
    #expect(chain.filters.count == 2)
    #expect(!chain.filters[0].isPointwise)
    let image = SyntheticImage.noise.image(Size(17, 11), channels: .rgb, depth: .bits8)
    let made = try await FrameProcessor(device: device, chain: chain).process(image)
    #expect(made.size.height == (filter.contains("5") ? 5 : 2))
  }
}
