import SafelightFrames
import SafelightGolden
import SafelightImage
import Testing

/// Comparing with goldens: what passes, what fails and how, and that nothing is written.
@Suite struct GoldenVerifyTests {
  let sandbox = GoldenSandbox()

  init() throws {
    try sandbox.record(["z": GoldenSandbox.picture(1), "blur/soft": GoldenSandbox.picture(2)])
    try sandbox.make("z", GoldenSandbox.picture(1))
    try sandbox.make("blur/soft", GoldenSandbox.picture(2))
  }

  private func candidates() throws -> CandidateFolder { try CandidateFolder(sandbox.actual) }

  @Test func theSamePixelsAreExact() throws {
    let outcomes = try sandbox.verify()
    #expect(outcomes.map(\.name) == ["blur/soft", "z"])
    #expect(outcomes.allSatisfy { $0.status == .exact && $0.error == nil })
  }

  @Test func otherPixelsDifferUnlessTheToleranceLetsThem() throws {
    try sandbox.make("z", GoldenSandbox.picture(3))
    #expect(try sandbox.verify().map(\.status) == [.exact, .differs])
    #expect(try sandbox.verify(tolerance: Tolerance("max<=1")).map(\.status) == [.exact, .differs])
    let within = try sandbox.verify(tolerance: Tolerance("max<=2"))
    #expect(within.map(\.status) == [.exact, .within])
    #expect(within[1].verdict?.smallestPassing == (try Tolerance("max<=2")))
  }

  @Test func missingAndExtraPicturesAndFilesAreNamed() throws {
    try sandbox.remove("actual/z.png")
    try sandbox.make("zz", GoldenSandbox.picture())
    try sandbox.make("stray", GoldenSandbox.picture(), in: "goldens")
    let outcomes = try sandbox.verify()
    #expect(outcomes.map(\.name) == ["blur/soft", "z", "zz", "stray"])
    #expect(outcomes.map(\.status) == [.exact, .missing, .extra, .extra])
    #expect(outcomes.dropFirst().allSatisfy { $0.error?.kind == .missingFrame })
    #expect("\(try #require(outcomes[3].error))".contains("no row"))
  }

  @Test func aGoldenWithoutItsFileIsMissing() throws {
    try sandbox.remove("goldens/z.png")
    #expect(try sandbox.verify().map(\.status) == [.exact, .missing])
  }

  @Test(arguments: [
    (GoldenSandbox.picture(1, Size(24, 17)), "size: the golden has 24×16, the picture 24×17"),
    (GoldenSandbox.picture(1, Size(24, 16), .rgba), "channels: the golden has rgb, the picture rgba"),
    (GoldenSandbox.picture(1, Size(24, 16), .gray), "channels: the golden has rgb, the picture gray"),
    (
      SyntheticImage.noise.image(Size(24, 16), channels: .rgb, depth: .bits16),
      "depth: the golden has 8, the picture 16"
    ),
  ])
  func anotherKindIsIncomparable(_ image: Image, _ why: String) throws {
    try sandbox.make("z", image)
    let outcome = try sandbox.verify(tolerance: Tolerance("max<=200"))[1]
    #expect(outcome.status == .incomparable)
    #expect(outcome.error?.why == why)
  }

  @Test func aDamagedGoldenIsNamedAlthoughThePictureIsRight() throws {
    let whole = try readFile("\(sandbox.goldens)/z.png")
    try sandbox.overwrite("z.png", Array(whole.dropLast(40)))
    let truncated = try sandbox.verify()[1]
    #expect(truncated.status == .damaged)
    #expect(truncated.error?.description.contains("truncated") == true, "\(truncated.error as Any)")
    try sandbox.make("z", GoldenSandbox.picture(9), in: "goldens")
    let other = try sandbox.verify()[1]
    #expect(other.status == .damaged)
    #expect(other.error?.why.contains("not the picture that was approved") == true)
  }

  @Test func aPointerLeavesTheHash() throws {
    try sandbox.overwrite("z.png", GoldenSandbox.pointer)
    let exact = try sandbox.verify()[1]
    #expect(exact.status == .exact)
    #expect(exact.notes.first?.contains("Git LFS") == true)
    try sandbox.make("z", GoldenSandbox.picture(3))
    let differs = try sandbox.verify()[1]
    #expect(differs.status == .differs)
    #expect(differs.error?.remedy?.contains("git lfs pull") == true)
    // Without the picture, a difference within the tolerance cannot be known.
    #expect(try sandbox.verify(tolerance: Tolerance("max<=9"))[1].status == .damaged)
  }

  /// Masked pixels are left out of the hash too.
  @Test func aPointerIsComparedBehindItsMask() throws {
    try sandbox.approve("z", GoldenSandbox.picture(1), mask: GoldenMask("3,2,1,1"))
    try sandbox.overwrite("z.png", GoldenSandbox.pointer)
    try sandbox.make("z", GoldenSandbox.picture(9))
    #expect(try sandbox.verify()[1].status == .exact)
    var image = GoldenSandbox.picture(1)
    image[x: 4, y: 2, sample: 0] ^= 1
    try sandbox.make("z", image)
    #expect(try sandbox.verify()[1].status == .differs)
  }

  /// Without its mask nothing is known of a golden, even if the pictures are the same.
  @Test func aPointerAsMaskIsFetchedFirst() throws {
    try sandbox.approve("z", GoldenSandbox.picture(1), mask: GoldenSandbox.mask())
    try sandbox.make("z", GoldenSandbox.picture(9))
    #expect(try sandbox.verify().map(\.status) == [.exact, .exact])
    try sandbox.overwrite("z@mask.png", GoldenSandbox.pointer)
    for seed in [1, 9] {
      try sandbox.make("z", GoldenSandbox.picture(seed))
      let outcome = try sandbox.verify()[1]
      #expect(outcome.status == .damaged && outcome.error?.what.hasSuffix("z@mask.png") == true)
      #expect(outcome.error?.why.hasPrefix("the mask is only a Git LFS pointer") == true)
      #expect(outcome.error?.remedy == "run git lfs pull")
    }
    #expect(try GoldenFolder(sandbox.goldens).inspect().map { "\($0.kind) \($0.name)" } == ["pointer z@mask.png"])
  }

  @Test func nothingIsEverWritten() throws {
    try sandbox.overwrite("blur/soft.png", GoldenSandbox.pointer)
    try sandbox.make("z", GoldenSandbox.picture(1, Size(5, 5)))
    try sandbox.make("new", GoldenSandbox.picture())
    let before = try sandbox.goldenFiles()
    _ = try sandbox.verify()
    _ = try GoldenFolder(sandbox.goldens).canaries(candidates())
    _ = try GoldenFolder(sandbox.goldens).inspect()
    try sandbox.remove("actual/z.png")
    _ = try sandbox.verify()
    #expect(try sandbox.goldenFiles() == before)
    #expect(before.count == 5)
  }

  @Test func threadsAndOrderDoNotMatter() throws {
    for number in 0..<20 { try sandbox.make("many/\(number)", GoldenSandbox.picture(number)) }
    try sandbox.record(
      Dictionary(uniqueKeysWithValues: (0..<20).map { ("many/\($0)", GoldenSandbox.picture($0 / 2 * 2)) }))
    func lines(_ jobs: Int) throws -> [String] {
      try sandbox.verify(jobs: jobs).map { "\($0.name) \($0.status) \($0.error as Any)" }
    }
    let one = try lines(1)
    #expect(one.count == 22 && one.count { $0.contains("differs") } == 10)
    #expect(try lines(3) == one)
    #expect(one[0...2].map { $0.split(separator: " ")[0] } == ["blur/soft", "many/0", "many/1"])
  }

  @Test func canariesFlyOnceATolerance() throws {
    let folder = try GoldenFolder(sandbox.goldens)
    let exact = try folder.canaries(candidates())
    #expect(exact.count == 1 && exact[0].isSound && exact[0].tolerance == "exact")
    try sandbox.approve("z", GoldenSandbox.picture(1), tolerance: Tolerance("max<=2"))
    #expect(try GoldenFolder(sandbox.goldens).canaries(candidates()).count == 2)
    // Opposite colors of noise are as bright.
    let blind = try folder.canaries(candidates(), tolerance: Tolerance("bias<=60"))
    #expect(blind.count == 1 && !blind[0].isSound)
    // In place of pictures that were not fetched, candidates with the right hash are used.
    for file in ["z.png", "blur/soft.png"] { try sandbox.overwrite(file, GoldenSandbox.pointer) }
    #expect(try folder.canaries(candidates()).map(\.isSound) == [true])
    for name in ["z", "blur/soft"] { try sandbox.make(name, GoldenSandbox.picture(8)) }
    #expect(try folder.canaries(candidates()) == [])
  }

  @Test func runsThatNoCanaryProvesFail() throws {
    var run = GoldenRun()
    try sandbox.verify().forEach { run.add($0) }
    #expect(run.compared == 2 && run.failure == .difference && run.summary.hasSuffix("no canary"))
    run.add(try GoldenFolder(sandbox.goldens).canaries(candidates()))
    #expect(run.failure == nil && run.summary.hasSuffix("canary ok"))
  }
}
