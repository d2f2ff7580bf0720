import Foundation
import GoldenTesting
import SafelightGPU
import SafelightImage
import Testing

@Suite struct OutputTests {
  @Test func theOtherSideIsRefused() throws {
    let twins = try Device.open(.cpu)
    let image = GoldenFixture.picture(0)
    let error = #expect(throws: SafelightError.self) { try Output<GPU>(image, by: twins) }
    #expect(error?.kind == .incomparable)
    #expect(throws: Never.self) { try Output<CPU>(image, by: twins) }
  }

  /// The comparison that cannot fail: it must not even compile.
  @Test func aSideCannotBeComparedWithItself() throws {
    let snippet = """
      import GoldenTesting
      import Testing
      func compare(_ gpu: Output<GPU>, _ cpu: Output<CPU>) throws { _ = try expectConforms(FIRST, to: SECOND) }
      """
    func diagnostics(_ first: String, _ second: String) throws -> String {
      try Compiler.diagnostics(
        snippet.replacingOccurrences(of: "FIRST", with: first).replacingOccurrences(of: "SECOND", with: second))
    }
    let right = try diagnostics("gpu", "cpu")
    #expect(right.isEmpty, "\(right)")
    #expect(try diagnostics("cpu", "cpu").contains("cannot convert value of type 'Output<CPU>'"))
    #expect(try diagnostics("gpu", "gpu").contains("cannot convert value of type 'Output<GPU>'"))
    #expect(try diagnostics("cpu", "gpu").contains("cannot convert value of type"))
  }

  /// Whatever expectations take and return has a name there.
  @Test func oneImportIsEnough() throws {
    let said = try Compiler.diagnostics(
      """
      import GoldenTesting
      func compare(_ picture: Image, _ buffer: CommandBuffer, _ result: Readback, at place: SourceLocation) throws {
        let (device, twins): (Device, Device) = (try Device.open(.auto), try Device.open(.cpu))
        let outcome: GoldenOutcome = try expectGolden(picture, "a", tolerance: "max<=1", sourceLocation: place)
        let golden: Golden? = outcome.golden
        let (mask, verdict): (ImageMask?, Verdict?) = (golden?.mask, outcome.verdict)
        let (gpu, cpu) = (try Output<GPU>(picture, by: device), try Output<CPU>(picture, by: twins))
        let comparison: PictureComparison = try expectConforms(gpu, to: cpu, tolerance: try Tolerance("psnr>=40"))
        let interval: IntervalDifference = try expectConforms(gpu, toUnrounded: [], epsilon: 0.1)
        let descriptor = ImageDescriptor(size: Size(1, 1), channels: Channels.gray, depth: SampleDepth.bits8)
        let recorded = RecordedOutput("result", result, descriptor)
        try expectConforms(buffer, on: device, [recorded])
        let file = try PNGFile(reading: "a.png")
        let (status, info): (ComparisonStatus, DeviceInfo) = (comparison.status, gpu.device)
        if golden == nil, mask == nil, verdict == nil, interval.passes, file.image == picture, status.passes, info.isCPU {
          throw SafelightError(.usage, "all of it", why: "it is to compile")
        }
      }
      """)
    #expect(said.isEmpty, "\(said)")
  }
}
