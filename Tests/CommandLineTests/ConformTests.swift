import Foundation
import TestSupport
import Testing

/// `safelight conform`.
@Suite struct ConformTests {
  private struct Listing: Decodable {
    let device: String
    let compared, differing: Int
    let refused: [Refusal]
    let rows: [Row]
  }

  private struct Row: Decodable {
    let kernel, format, input: String
    let size: [Int]
    let samples, differing, max: Int
    let first: First?
    let pattern: String?
  }

  private struct First: Decodable, Equatable {
    let x, y: Int
    let channel: String
    let expected, actual: Int
  }

  private struct Refusal: Decodable {
    let settings, format, why: String
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

  /// What a call does not take is no difference, and no reason to fail.
  @Test func refusalsAreToldApart() throws {
    try Tool.run("conform", "equalize=rule=opencv", "--quick", "--device", "software").ends(0)
      .prints(
        """
        same   equalize=rule=opencv:channels=auto:counts=visible:smooth=1:rate=24:cut=0.3:strength=0.2:intensity=0.21:\
        table='', render  r8 rgba8
                 refuses rgba16Uint: it is OpenCV's equalizeHist, which takes no pictures of 16 bits\n
        """)
    let run = try Tool.run("conform", "white-balance=9000", "--quick", "--device", "software", "--format", "json").ends(
      0)
    let listing = try JSONDecoder().decode(Listing.self, from: Data(run.output.utf8))
    #expect(listing.differing == 0 && listing.refused.map(\.format) == ["r8"])
    #expect(listing.refused.allSatisfy { $0.why.hasPrefix("it turns grays into colors") })
  }

  /// By a shader that goes wrong in one column.
  @Test func aDifferenceSaysWhereItIs() throws {
    let folder = TemporaryFolder()
    let shaders = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Shaders").path
    try folder.shell("cp -r \(shaders) shaders")
    let body = "pointKernel(SAFELIGHT_PIXEL)"
    let wrong = "(\(body) ^ uvec4(0u, gl_FragCoord.x > 16.0 ? 1u : 0u, 0u, 0u))"
    let text = try folder.text("shaders/Common/pass.frag")
    try folder.write(text.replacing(body, with: wrong), to: "shaders/Common/pass.frag")
    let path = folder.path("shaders")
    let options = ["conform", "passthrough", "--quick", "--device", "software"]
    try Tool.run(options, environment: ["SAFELIGHT_SHADERS": path]).ends(1).prints("DIFFERS  passthrough, render")
      .prints("31 of 2108 samples differ, by up to 1, all in the last column; first at x 16, y 0, green: ")
    let json = try Tool.run(options + ["--format", "json"], environment: ["SAFELIGHT_SHADERS": path]).ends(1).output
    let rows = try JSONDecoder().decode(Listing.self, from: Data(json.utf8)).rows
    let row = try #require(rows.first { $0.format == "rgba8" && $0.input == "flat" && $0.differing > 0 })
    #expect(row.first == First(x: 16, y: 0, channel: "green", expected: 63, actual: 62))
    #expect(row.pattern == "all in the last column")
  }

  @Test(arguments: [
    (["conform", "shader", "--device", "software"], "parameter 'file' is missing"),
    (["conform", "equalise"], "the nearest that exists is equalize"),
    (["conform", "saturation=9", "--device", "software"], "amount must be a number from 0 to 4"),
    (["conform", "passthrough", "--device", "cpu"], "compared with themselves"),
  ])
  func refusesWithARemedy(arguments: [String], reason: String) throws {
    try Tool.run(arguments).ends(64).says(reason).prints(only: "")
  }
}
