import FoundationEssentials
import Testing

/// Every kernel and every program of Examples/ has a golden picture that somebody looked at.
@Suite struct GoldenCoverageTests {
  /// Where each kernel without a card is seen, from fixtures/golden: in pictures of its own, or in that of a filter. A
  /// card names its kernel's filter, and every filter has a golden.
  private static let goldens: [String: [String]] = [
    "ImageColorCube": ["kernels/color-cube"],
    "ImageContrastLimitedEqualization": ["filters/clahe"],
    "ImageContrastStretch": ["filters/stretch"],
    "ImageHistogram": ["kernels/histogram", "kernels/histogram-of-luma", "kernels/histogram-of-floats"],
    "ImageHistogramEqualization": ["filters/equalize", "kernels/equalization-rules"],
    "ImageHistogramSpecification": ["filters/match"],
    "ImageLookup": ["filters/curves", "filters/lut"],
    "ImageNormalizedHistogram": ["kernels/normalized-histogram", "kernels/normalized-histogram-of-floats"],
    "ImageRGBToYCbCr": ["kernels/rgb-to-ycbcr", "kernels/rgb-to-ycbcr-10-bits"],
    "ImageRenderer": ["kernels/renderer-orientations", "kernels/renderer-filters", "kernels/renderer-source-over"],
    "ImageYCbCrToRGB": ["kernels/ycbcr-to-rgb", "kernels/ycbcr-to-rgb-10-bits", "kernels/ycbcr-to-rgb-alpha"],
    "TemporalHistogram": ["kernels/temporal-histogram"],
  ]

  @Test func everyKernelHasARow() throws {
    let kernels = try Checkout.files("Sources/SafelightKernels", endingIn: [".swift"])
      .reduce(into: Set<String>()) { $0.formUnion(Self.kernels(in: $1.text)) }
    // A family records what its members are.
    for kernel in kernels.subtracting(Self.goldens.keys).sorted() where !kernel.hasSuffix("Kernel") {
      Issue.record("\(kernel) has no golden; add one to KernelPicture in Tests/SafelightDeviceTests, and its row here")
    }
    #expect(Set(Self.goldens.keys).subtracting(kernels) == [], "rows of kernels that are no more")
  }

  @Test func everyRowNamesGoldensThatAreThere() throws {
    for (kernel, names) in Self.goldens {
      #expect(!names.isEmpty, "\(kernel) names no golden")
      for name in names {
        #expect(
          FileManager.default.fileExists(atPath: "\(Checkout.root)/fixtures/golden/\(name).png"),
          "\(kernel) names \(name), which is no golden")
      }
    }
    let own = try Self.goldens(in: "kernels").map { "kernels/\($0)" }
    #expect(Set(own).subtracting(Self.goldens.values.joined()) == [], "goldens that show no kernel of the table")
  }

  /// Theirs are called as the program, with a number behind it.
  @Test func everyExampleHasAGolden() throws {
    let programs = try FileManager.default.contentsOfDirectory(atPath: "\(Checkout.root)/Examples/Sources")
      .filter { !$0.hasPrefix(".") && $0 != "Running" }
    #expect(programs.count >= 6)
    let goldens = try Self.goldens(in: "examples")
    for program in programs {
      #expect(
        goldens.contains { $0.hasPrefix("\(program).") }, "\(program) has no golden; see scripts/oracle/examples.py")
    }
  }

  @Test func kernelsAreFound() {
    let text = """
      public final class A: Sendable {
        public enum Inner {}
        public func encode(to buffer: CommandBuffer, source: Texture) {}
      }
      public struct B { public func count() {} }
      /// Draws.
      public struct C {
        public func render(
          _ source: Texture, to destination: Texture, commandBuffer: CommandBuffer) {}
      }
      extension D { public func encodeReadback(to buffer: CommandBuffer) {} }
      struct E { func encode(to buffer: CommandBuffer) {} }
      extension F { public func encode(to buffer: CommandBuffer) {} }
      """
    #expect(Self.kernels(in: text) == ["A", "C", "F"])
  }

  /// The names of the pictures in a folder of fixtures/golden.
  private static func goldens(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(Checkout.root)/fixtures/golden/\(folder)")
      .filter { $0.hasSuffix(".png") }.map { String($0.dropLast(4)) }
  }

  /// The types with a public function that records an image kernel.
  private static func kernels(in text: String) -> Set<String> {
    var type = ""
    var kernels: Set<String> = []
    // Types of their own stand at the beginning of a line; those inside them do not.
    let statement = /^(?:[a-z]+ )*(?:class|struct|enum|extension) ([A-Z]\w*)|(public func (?:encode|render)\()/
      .anchorsMatchLineEndings()
    for match in text.withoutComments.matches(of: statement) {
      if let name = match.output.1 { type = String(name) } else { kernels.insert(type) }
    }
    return kernels
  }
}
