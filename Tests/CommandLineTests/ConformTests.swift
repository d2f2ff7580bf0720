import Foundation
import Testing

/// `safelight conform`.
@Suite struct ConformTests {
  private struct Listing: Decodable {
    let device: String
    let compared, differing: Int
    let rows: [Row]
  }

  private struct Row: Decodable {
    let kernel, format, input: String
    let size: [Int]
    let samples, differing, max: Int
  }

  @Test func rowsAreAsTheContractHasThem() throws {
    let run = try Tool.run("conform", "passthrough", "--device", "software", "--format", "json").ends(0)
    let listing = try JSONDecoder().decode(Listing.self, from: Data(run.output.utf8))
    #expect(listing.device.contains("llvmpipe"))
    #expect(listing.differing == 0 && listing.compared == listing.rows.count && listing.compared > 100)
    #expect(listing.rows.allSatisfy { $0.kernel == "passthrough" && $0.differing == 0 && $0.max == 0 })
    let row = try #require(listing.rows.first { $0.format == "rgba8" && $0.size == [17, 31] && $0.input == "noise" })
    #expect(row.samples == 17 * 31 * 4)
  }

  @Test func oneCallCanBeNamed() throws {
    try Tool.run("conform", "saturation=3", "--device", "software")
      .ends(0).prints("same   saturation=amount=3:weights=bt601, render").prints(last: ": 0 samples differ\n")
  }

  @Test(arguments: [
    (["conform", "equalise"], "the nearest that exists is equalize"),
    (["conform", "saturation=9", "--device", "software"], "amount must be a number from 0 to 4"),
    (["conform", "passthrough", "--device", "cpu"], "compared with themselves"),
  ])
  func refusesWithARemedy(arguments: [String], reason: String) throws {
    try Tool.run(arguments).ends(64).says(reason).prints(only: "")
  }
}
