import Foundation
import SafelightFrames
import SafelightGolden
import SafelightImage
import TestSupport
import Testing

/// Recording and approving: what is refused, what is written, and that it is all or nothing.
@Suite struct GoldenChangeTests {
  let sandbox = GoldenSandbox()

  @Test func aManifestReadsWellAndMerges() throws {
    try sandbox.record(["soft": GoldenSandbox.picture()], tolerance: Tolerance("max<=1"))
    try sandbox.approve("soft", GoldenSandbox.picture(7), reason: "the edge is right now")
    let hash = GoldenSandbox.picture(7).pixelHash
    #expect(
      try sandbox.read("golden.json") == """
        {
          "goldens" : {
            "soft" : {
              "channels" : "rgb",
              "depth" : 8,
              "height" : 16,
              "pictures" : {
                "default" : {
                  "approved" : "2026-11-22",
                  "pixels" : "\(hash)",
                  "reason" : "the edge is right now"
                }
              },
              "tolerance" : "max<=1",
              "width" : 24
            }
          },
          "version" : 1
        }

        """)
  }

  @Test func recordingNeverOverwrites() throws {
    try sandbox.record(["a": GoldenSandbox.picture(1)])
    let before = try sandbox.goldenFiles()
    #expect(throws: SafelightError.self) { try sandbox.record(["a": GoldenSandbox.picture(2)]) }
    try sandbox.make("b", GoldenSandbox.picture(3), in: "goldens")
    #expect(throws: SafelightError.self) { try sandbox.record(["b": GoldenSandbox.picture(2)]) }
    try sandbox.remove("goldens/b.png")
    #expect(try sandbox.goldenFiles() == before)
  }

  @Test func oneOfMayBeRefusedAndThenNoneIsRecorded() throws {
    try sandbox.record(["a": GoldenSandbox.picture()])
    let before = try sandbox.goldenFiles()
    let blank = SyntheticImage.flat.image(Size(9, 9), channels: .rgba, depth: .bits8)
    let opaque = blank.replacing(bytes: Array([1, 2, 3, 4].map { UInt8($0) } * 81))
    #expect(throws: SafelightError.self) {
      var change = try GoldenChange(of: sandbox.goldens)
      try change.record(GoldenCandidate(GoldenSandbox.picture(), named: "b"), provenance: GoldenSandbox.today)
      try change.record(GoldenCandidate(opaque, named: "c"), provenance: GoldenSandbox.today)
      try change.commit()
    }
    #expect(try sandbox.goldenFiles() == before)
  }

  @Test func whatASecondRunMakesOtherwiseIsRefused() throws {
    var change = try GoldenChange(of: sandbox.goldens)
    let (first, second) = (GoldenSandbox.picture(1), GoldenSandbox.picture(2))
    expectError(.difference) {
      try change.record(
        GoldenCandidate(first, named: "a"), again: GoldenCandidate(second, named: "a"), provenance: GoldenSandbox.today)
    }
  }

  @Test func anApprovalNeedsAReason() throws {
    try sandbox.record(["a": GoldenSandbox.picture(1)])
    for reason in [nil, "", "  \n"] {
      expectError(.usage) {
        try sandbox.approve("a", GoldenSandbox.picture(2), reason: reason)
      }
    }
    try sandbox.approve("a", GoldenSandbox.picture(2))
    #expect(try GoldenFolder(sandbox.goldens).verify(GoldenSandbox.picture(2), named: "a").status == .exact)
  }

  @Test(arguments: ["", "a//b", "../a", "a/.b"])
  func namesThatNoGoldenHasAreRefused(_ name: String) throws {
    expectError(.usage) { try sandbox.approve(name, GoldenSandbox.picture()) }
  }

  // MARK: Variants

  @Test func aVariantServesItsDriverAlone() throws {
    try sandbox.record(["a": GoldenSandbox.picture(1)])
    try sandbox.approve("a", GoldenSandbox.picture(2), variant: "software")
    let folder = try GoldenFolder(sandbox.goldens)
    #expect(folder.strays == [] && folder.variants(of: "a") == ["software"])
    func status(_ seed: Int, _ variant: String?) -> ComparisonStatus {
      folder.verify(GoldenSandbox.picture(seed), named: "a", variant: variant).status
    }
    #expect(status(1, nil) == .exact && status(2, nil) == .differs)
    #expect(status(2, "software") == .exact && status(1, "software") == .differs)
    #expect(status(1, "hardware") == .exact && status(2, "hardware") == .differs)
  }

  @Test func aVariantIsFoundByWhatItsDriverMayBeCalled() throws {
    try sandbox.record(["a": GoldenSandbox.picture(1)])
    for (seed, variant) in [(2, "software"), (3, "Mali-G610")] {
      try sandbox.approve("a", GoldenSandbox.picture(seed), variant: variant)
    }
    let folder = try GoldenFolder(sandbox.goldens)
    #expect(folder.variant(of: "a", calledBy: ["mali-g610", "software"]) == "Mali-G610")
    #expect(folder.variant(of: "a", calledBy: ["software", "mali-g610"]) == "software")
    #expect(folder.variant(of: "a", calledBy: ["mali", "hardware"]) == nil)
    #expect(folder.variant(of: "b", calledBy: ["software"]) == nil)
  }

  @Test func variantsWithoutNeedAreRefused() throws {
    #expect(throws: SafelightError.self) {
      try sandbox.approve("a", GoldenSandbox.picture(1), variant: "software")
    }
    try sandbox.record(["a": GoldenSandbox.picture(1)])
    #expect(throws: SafelightError.self) { try sandbox.approve("a", GoldenSandbox.picture(1), variant: "software") }
    #expect(throws: SafelightError.self) {
      try sandbox.approve("a", GoldenSandbox.picture(2, Size(9, 9)), variant: "software")
    }
    for name in ["mask", "default", "a/b", "", "ü"] {
      #expect(throws: SafelightError.self) { try sandbox.approve("a", GoldenSandbox.picture(2), variant: name) }
    }
  }

  // MARK: Masks

  @Test func aMaskLeavesOutOfTheHashAndOfTheMetrics() throws {
    try sandbox.record(["a": GoldenSandbox.picture(1)])
    try sandbox.approve("a", GoldenSandbox.picture(2), variant: "software")
    try sandbox.approve("a", GoldenSandbox.picture(1), mask: GoldenMask("3,2,1,1 0,0,2,2"))
    let folder = try GoldenFolder(sandbox.goldens)
    #expect(try folder.golden(named: "a")?.mask?.hidden == 5)
    for variant in [nil, "software"] {
      #expect(folder.verify(GoldenSandbox.picture(200), named: "a", variant: variant).status == .exact)
    }
    var image = GoldenSandbox.picture(200)
    image[x: 23, y: 15, sample: 2] ^= 1
    #expect(folder.verify(image, named: "a").status == .differs)
    let within = folder.verify(image, named: "a", tolerance: try Tolerance("max<=1"))
    #expect(within.status == .within && within.verdict?.difference.maximum == 1)
  }

  /// A picture that no longer masks anything would only confuse.
  @Test(arguments: ["none", "3,2,1,1"]) func theFileOfAMaskGoesWithIt(_ next: String) throws {
    try sandbox.record(["d/a": GoldenSandbox.picture(1)])
    let mask = try GoldenSandbox.mask()
    try sandbox.approve("d/a", GoldenSandbox.picture(1), mask: mask)
    try sandbox.approve("d/a", GoldenSandbox.picture(1), mask: mask)
    #expect(fileExists("\(sandbox.goldens)/d/a@mask.png"))
    try sandbox.approve("d/a", GoldenSandbox.picture(1), mask: GoldenMask(next))
    #expect(!fileExists("\(sandbox.goldens)/d/a@mask.png"))
    try sandbox.make("a@mask", GoldenSandbox.maskPicture, in: "goldens/d")
    #expect(try GoldenFolder(sandbox.goldens).strays == ["d/a@mask.png"])
  }

  @Test func aMaskMayBeAPicture() throws {
    try sandbox.record(["d/a": GoldenSandbox.picture(1)])
    try sandbox.approve("d/a", GoldenSandbox.picture(1), mask: GoldenSandbox.mask())
    let folder = try GoldenFolder(sandbox.goldens)
    #expect(folder.strays == [])
    #expect(folder.verify(GoldenSandbox.picture(9), named: "d/a").status == .exact)
    try sandbox.approve("d/a", GoldenSandbox.picture(1), mask: GoldenMask("none"))
    #expect(try GoldenFolder(sandbox.goldens).verify(GoldenSandbox.picture(9), named: "d/a").status == .differs)
  }

  @Test(arguments: ["", "1,2,3", "0,0,0,5", "-1,0,2,2", "a,b,c,d", "0,0,24,16"])
  func masksThatAreNoneOrHideEverythingAreRefused(_ text: String) throws {
    try sandbox.record(["a": GoldenSandbox.picture(1)])
    #expect(throws: SafelightError.self) {
      try sandbox.approve("a", GoldenSandbox.picture(2), mask: GoldenMask(text))
    }
  }

  // MARK: Interruption

  @Test func aChangeThatGotItsNameCountsBeforeItIsMoved() throws {
    try sandbox.record(["a": GoldenSandbox.picture(1), "b/c": GoldenSandbox.picture(1)])
    let change = "\(sandbox.path)/change"
    try FileManager.default.copyItem(atPath: sandbox.goldens, toPath: change)
    try sandbox.approve("a", GoldenSandbox.picture(2))
    try sandbox.approve("b/c", GoldenSandbox.picture(2))
    // As if the process had ended between the renaming and the moves.
    let after = "\(sandbox.path)/after"
    try FileManager.default.moveItem(atPath: sandbox.goldens, toPath: after)
    try FileManager.default.moveItem(atPath: change, toPath: sandbox.goldens)
    try FileManager.default.moveItem(atPath: after, toPath: "\(sandbox.goldens)/.change")
    let folder = try GoldenFolder(sandbox.goldens)
    for name in ["a", "b/c"] { #expect(folder.verify(GoldenSandbox.picture(2), named: name).status == .exact) }
    #expect(try folder.inspect().map(\.kind) == [.interrupted])
    // The next change finishes it.
    try sandbox.record(["d": GoldenSandbox.picture(3)])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: sandbox.goldens).sorted() == [
        "a.png", "b", "d.png", "golden.json",
      ])
    #expect(try GoldenFolder(sandbox.goldens).inspect() == [])
    #expect(try GoldenFolder(sandbox.goldens).verify(GoldenSandbox.picture(2), named: "b/c").status == .exact)
  }

  @Test func whatAKilledChangeStagedIsSweptAway() throws {
    try sandbox.record(["a": GoldenSandbox.picture(1)])
    try sandbox.make("x/y", GoldenSandbox.picture(), in: "goldens/.change.part")
    #expect(try GoldenFolder(sandbox.goldens).inspect() == [])
    try sandbox.record(["b": GoldenSandbox.picture(1)])
    #expect(try GoldenFolder(sandbox.goldens).names == ["a", "b"])
    #expect(!fileExists("\(sandbox.goldens)/.change.part"))
    #expect(try GoldenFolder(sandbox.goldens).inspect() == [], "nor was it taken along")
  }

  @Test func aFolderIsLockedAsLongAsItsChangeLasts() throws {
    try sandbox.record(["a": GoldenSandbox.picture(1)])
    let folder = open(sandbox.goldens, O_RDONLY | O_DIRECTORY)
    defer { close(folder) }
    var change = try GoldenChange(of: sandbox.goldens)
    #expect(flock(folder, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK)
    try change.record(GoldenCandidate(GoldenSandbox.picture(2), named: "b"), provenance: GoldenSandbox.today)
    try change.commit()
    #expect(flock(folder, LOCK_EX | LOCK_NB) == 0)
  }

  @Test func changesAtOneTimeWaitForEachOther() async throws {
    let path = sandbox.goldens
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          var change = try GoldenChange(of: path)
          let candidate = try GoldenCandidate(GoldenSandbox.picture(number), named: "a\(number)")
          try change.record(candidate, provenance: GoldenSandbox.today)
          try change.commit()
        }
      }
      try await group.waitForAll()
    }
    #expect(try GoldenFolder(path).names.count == 8)
    #expect(try GoldenFolder(path).inspect() == [])
  }
}

extension Array {
  fileprivate static func * (part: Self, count: Int) -> Self { (0..<count).flatMap { _ in part } }
}
