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
}
