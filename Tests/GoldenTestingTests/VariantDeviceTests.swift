import GoldenTesting
import SafelightGPU
import SafelightGolden
import SafelightImage
import Testing

/// Variants of one driver: they count only there, and nothing else does.
@Suite(.requiresGPU(), .golden()) struct VariantDeviceTests {
  private let right = GoldenFixture.picture(0)
  private let own = GoldenFixture.off(GoldenFixture.picture(0))

  /// Returns the device's kind, and the other one.
  private static func kinds(_ device: Device) -> (its: String, other: String) {
    device.info.isSoftware ? ("software", "hardware") : ("hardware", "software")
  }

  @Test func theDriverHasItsOwnAndTheTwinsTheDefault() async throws {
    let (device, twins) = (try Device.open(.auto), try Device.open(.cpu))
    let kind = Self.kinds(device).its
    try await GoldenFixture.with(["a": right]) { folder in
      try GoldenFixture.approve("a", own, variant: kind, in: folder)
      let passing = try await GoldenIssues.of(in: folder) { [right, own] in
        let made = try expectGolden(try Output<GPU>(own, by: device), "a")
        #expect(made.status == .exact && made.golden?.variant == kind)
        #expect(GoldenSettings.current.tally?.summary.hasSuffix("; 1 by variants") == true)
        let twin = try expectGolden(try Output<CPU>(right, by: twins), "a")
        #expect(twin.status == .exact && twin.golden?.variant == nil)
        let drawn = try expectGolden(right, "a")
        #expect(drawn.status == .exact, "what no device made has the default")
      }
      #expect(passing.isEmpty, "\(passing)")
      let failing = try await GoldenIssues.of(in: folder) { [right] in
        try expectGolden(try Output<GPU>(right, by: device), "a")
      }
      #expect(failing.count == 1 && failing[0].contains("a, variant \(kind) (ties go down): "), "\(failing)")
      let twin = try await GoldenIssues.of(in: folder) { [own] in
        try expectGolden(try Output<CPU>(own, by: twins), "a")
      }
      #expect(twin.count == 1 && !twin[0].contains("variant"), "\(twin)")
    }
  }

  @Test func anotherKindsVariantServesNobodyElse() async throws {
    let device = try Device.open(.auto)
    try await GoldenFixture.with(["a": right]) { folder in
      try GoldenFixture.approve("a", own, variant: Self.kinds(device).other, in: folder)
      let found = try await GoldenIssues.of(in: folder) { [right] in
        let outcome = try expectGolden(try Output<GPU>(right, by: device), "a")
        #expect(outcome.golden?.variant == nil)
      }
      #expect(found.isEmpty, "\(found)")
    }
  }

  @Test func theRenderersNameGoesBeforeItsKind() async throws {
    let device = try Device.open(.auto)
    let word = try #require(device.info.name.split { !$0.isLetter && !$0.isNumber }.first.map(String.init))
    try await GoldenFixture.with(["a": right]) { folder in
      try GoldenFixture.approve("a", GoldenFixture.off(right, by: 77), variant: Self.kinds(device).its, in: folder)
      try GoldenFixture.approve("a", own, variant: word, in: folder)
      let found = try await GoldenIssues.of(in: folder) { [own] in
        let outcome = try expectGolden(try Output<GPU>(own, by: device), "a")
        #expect(outcome.golden?.variant == word)
      }
      #expect(found.isEmpty, "\(found)")
    }
  }

  /// One frame of a sequence may have a variant, and is found late all the same.
  @Test func framesHaveThem() async throws {
    let device = try Device.open(.auto)
    let kind = Self.kinds(device).its
    let frames = (0..<4).map { GoldenFixture.off(right, by: UInt8(10 + $0)) }
    let goldens = Dictionary(uniqueKeysWithValues: frames.indices.map { ("pan/000\($0 + 1)", frames[$0]) })
    func outputs(_ images: [Image]) throws -> [Output<GPU>] { try images.map { try Output($0, by: device) } }
    let sound = try outputs([frames[0], own, frames[2], frames[3]])
    let late = try outputs([frames[0], frames[0], own, frames[2]])
    try await GoldenFixture.with(goldens) { folder in
      try GoldenFixture.approve("pan/0002", own, variant: kind, in: folder)
      #expect(try await GoldenIssues.of(in: folder) { try expectSequence(sound, "pan") }.isEmpty)
      let lateness = try await GoldenIssues.of(in: folder) { try expectSequence(late, "pan") }
      #expect(lateness.count == 1 && lateness[0].contains("pan/0002, variant \(kind) (ties go down)"), "\(lateness)")
      #expect(lateness.first?.contains("from frame 2 on they are one frame late") == true, "\(lateness)")
    }
  }
}

@Suite struct VariantNameTests {
  @Test(arguments: [
    ("llvmpipe (LLVM 15.0.6, 256 bits)", true, ["llvmpipe", "llvm", "15.0.6", "256", "bits", "software"]),
    ("NVIDIA H200/PCIe/SSE2", false, ["nvidia", "h200", "pcie", "sse2", "hardware"]),
    ("Mesa Intel(R) UHD Graphics 620", false, ["mesa", "intel", "r", "uhd", "graphics", "620", "hardware"]),
    ("", false, ["hardware"]),
  ])
  func theRenderersWordsThenItsKind(_ renderer: String, _ isSoftware: Bool, _ names: [String]) {
    #expect(DeviceInfo.variantNames(renderer: renderer, isSoftware: isSoftware) == names)
  }

  @Test func theTwinsHaveNone() throws { #expect(try Device.open(.cpu).info.variantNames == []) }
}
