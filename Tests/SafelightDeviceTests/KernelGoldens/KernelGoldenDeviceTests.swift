import GoldenTesting
import Safelight
import SafelightGolden
import SafelightShaders
import TestSupport
import Testing

/// The output of kernels that no filter shows, against one golden for all drivers, pipelines and the twins, to the last
/// bit.
@Suite(.golden(in: "../../../fixtures/golden/kernels")) struct KernelGoldenDeviceTests {
  @Test(.golden(comparisons: 1), arguments: KernelPicture.all, TestDevice.all)
  func aPictureIsTheGolden(_ picture: KernelPicture, _ test: TestDevice) throws {
    let device = try test.open()
    try expectGoldenOfDevice(try picture.make(device), by: device, picture.name)
  }
}

/// The goldens themselves, and what they reach.
@Suite struct KernelGoldenTests {
  @Test func everyPictureHasAGoldenAndNoOtherIsThere() throws {
    let folder = try GoldenFolder(Fixtures.path("golden/kernels"))
    #expect(Set(folder.names) == Set(KernelPicture.all.map(\.name)))
  }

  /// Every picture has a row, every row a picture, and each is as approved.
  @Test(arguments: ["examples", "filters", "kernels", "readme"])
  func goldensAreSound(_ folder: String) throws {
    #expect(try GoldenFolder(Fixtures.path("golden/\(folder)")).inspect().map(\.text) == [])
  }

  /// Every shader that is the body of a function has a golden of its own or of a filter.
  @Test func everyFunctionRunsForAGolden() async throws {
    let collector = CaptureCollector()
    let device = try Device.open(.cpu, options: DeviceOptions(capture: collector))
    for filter in FilterGoldenDeviceTests.filters { _ = try await FilterGoldenDeviceTests.image(filter, device) }
    for picture in KernelPicture.all { _ = try picture.make(device) }
    let functions = Set(ShaderSource.allCases.filter(\.isBody).map(\.functionName))
    #expect(functions.count > 20)
    // The names of joined functions are one name.
    let names = collector.captures.flatMap { $0.manifest.functions.map(\.function) }
    let reached = Set(names.flatMap { $0.split(separator: "+").map(String.init) })
    let unseen = functions.filter { function in
      // A histogram's function is named after its variant too.
      !reached.contains { $0 == function || $0 == "\(function)_private" }
    }
    // Pyramids are compared with OpenCV's.
    #expect(unseen == ["pyramid"], "no golden shows these; add a KernelPicture")
  }
}

extension ShaderSource {
  /// True for the body of a function, which a wrapper in Common completes.
  fileprivate var isBody: Bool {
    let definitions = ["uvec4 pointKernel(", "void run(", "void take(", "void main("]
    return !rawValue.hasPrefix("Common/") && definitions.contains { text.contains($0) }
  }
}

/// A picture of a kernel's output that no filter's golden shows.
struct KernelPicture: Sendable, CustomTestStringConvertible {
  /// The golden's name.
  let name: String
  /// The variant, such as a pipeline; all must make the same picture. Empty for only one.
  let way: String
  /// Makes the picture on a device.
  let make: @Sendable (Device) throws -> Image

  init(_ name: String, way: String = "", make: @escaping @Sendable (Device) throws -> Image) {
    self.name = name
    self.way = way
    self.make = make
  }

  /// The same picture made in each of `variants`.
  static func inVariants<Variant: Sendable>(
    _ name: String, _ variants: [Variant], _ make: @escaping @Sendable (Device, Variant) throws -> Image
  ) -> [KernelPicture] { variants.map { variant in KernelPicture(name, way: "\(variant)") { try make($0, variant) } } }

  var testDescription: String { way.isEmpty ? name : "\(name), \(way)" }

  static let all = histograms + equalizations + alphaWeights + resampled + mixtures + cubes + renderings + conversions

  /// The film's frame with only its green; red rises from left to right and blue from top to bottom.
  static let colorful: Image = {
    var image = ConformanceFrame.image
    for y in 0..<image.size.height {
      for x in 0..<image.size.width {
        image[x: x, y: y, sample: 0] = x * 255 / (image.size.width - 1)
        image[x: x, y: y, sample: 2] = y * 255 / (image.size.height - 1)
      }
    }
    return image
  }()
}

/// Expects the golden `name`, which the Swift twins and all drivers share.
func expectGoldenOfDevice(
  _ image: Image, by device: Device, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  if device.info.isCPU {
    try expectGolden(try Output<CPU>(image, by: device), name, sourceLocation: sourceLocation)
  } else {
    try expectGolden(try Output<GPU>(image, by: device), name, sourceLocation: sourceLocation)
  }
}

extension Image {
  /// The pictures one below the other; they must be of one width and one kind.
  static func stacked(_ images: [Image]) throws -> Image {
    let first = try #require(images.first)
    try #require(images.allSatisfy { $0.size.width == first.size.width && $0.pixelFormat == first.pixelFormat })
    return Image(
      size: Size(first.size.width, images.reduce(0) { $0 + $1.size.height }), channels: first.channels,
      depth: first.depth, bytes: images.flatMap(\.bytes))
  }
}
