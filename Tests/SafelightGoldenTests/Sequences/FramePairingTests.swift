import SafelightGolden
import SafelightImage
import TestSupport
import Testing

@Suite struct FramePairingTests {
  private static let dot = Image(size: Size(1, 1), channels: .gray, depth: .bits8, bytes: [0])

  private static func pairing(
    _ expected: [String], _ actual: [String], isComplete: Bool = false, isRecursive: Bool = false, count: Int? = nil
  ) throws -> (FramePairing, TemporaryFolder) {
    let folder = TemporaryFolder()
    for name in expected { try folder.write(dot, to: "a/\(name)") }
    for name in actual { try folder.write(dot, to: "b/\(name)") }
    let pairing = try FramePairing(
      expected: folder.path("a"), actual: folder.path("b"), isComplete: isComplete, isRecursive: isRecursive,
      count: count)
    return (pairing, folder)
  }

  private static func names(_ paths: [String]) -> [String] { paths.map { String($0.split(separator: "/").last ?? "") } }

  @Test func framesPairByTheNumberThatCounts() throws {
    let (pairing, _) = try Self.pairing(
      ["shot.0009.v2.png", "shot.0010.v2.png", "shot.0012.v2.png"], ["new9.png", "new10.png", "new11.png", "new12.png"])
    #expect(pairing.pairs.map(\.name) == ["frame 9", "frame 10", "frame 12"])
    #expect(Self.names(pairing.pairs.map(\.actual)) == ["new9.png", "new10.png", "new12.png"])
    #expect(pairing.missing == [])
    #expect(Self.names(pairing.extra.map(\.path)) == ["new11.png"])
  }

  @Test func numbersBelowZeroPair() throws {
    let (pairing, _) = try Self.pairing(
      ["shot.-0002.png", "shot.-0001.png", "shot.0002.png"], ["new--2.png", "new-1.png", "new-2.png"], isComplete: true)
    #expect(pairing.pairs.map(\.name) == ["frame -2", "frame 2"])
    #expect(Self.names(pairing.pairs.map(\.actual)) == ["new--2.png", "new-2.png"])
    #expect(Self.names(pairing.missing.map(\.path)) == ["shot.-0001.png", "shot.0000.png"])
    #expect(Self.names(pairing.extra.map(\.path)) == ["new-1.png"])
  }

  @Test func aFrameThatOneSideLacksIsMissing() throws {
    let (pairing, _) = try Self.pairing(["f1.png", "f2.png", "f3.png"], ["f1.png", "f3.png"])
    #expect(pairing.pairs.map(\.name) == ["frame 1", "frame 3"])
    #expect(Self.names(pairing.missing.map(\.path)) == ["f2.png"])
    #expect(pairing.missing.first?.why == "it has no counterpart")
  }

  /// Numbers that neither side has are missing only on request.
  @Test func aNumberThatBothSidesSkip() throws {
    let names = ["f08.png", "f09.png", "f11.png", "f12.png"]
    let (pairing, _) = try Self.pairing(names, names)
    #expect(pairing.pairs.count == 4 && pairing.missing == [] && pairing.extra == [])
    let (complete, _) = try Self.pairing(names, names, isComplete: true)
    #expect(complete.pairs.count == 4)
    #expect(Self.names(complete.missing.map(\.path)) == ["f10.png"])
    #expect(complete.missing.first?.why == "neither side has frame 10")
  }

  @Test func theCountThatIsAskedFor() throws {
    let names = ["cat.png", "dog.png"]
    #expect(try Self.pairing(names, names, count: 2).0.missing == [])
    let (short, folder) = try Self.pairing(names, names, count: 3)
    #expect(short.missing.map(\.path) == [folder.path("a")] && short.extra == [])
    #expect(short.missing.first?.why == "it has 2 pictures, not 3")
    let (long, _) = try Self.pairing(names, names, count: 1)
    #expect(long.missing == [] && long.extra.count == 1)
  }

  /// A regular step is no gap; a gap may be as long as lost shards, and counts however few frames there are.
  @Test(arguments: [
    ([1, 2, 3, 4, 20, 21, 22], Array(5...19)), ([1, 2, 4], [3]), ([1, 2, 4, 6, 7], [3, 5]), ([2, 4, 6, 10, 12], [8]),
    ([1, 3, 4, 5], [2]), ([1, 2, 4, 8], [3, 5, 6, 7]), ([10, 20, 50], [30, 40]),
    ([10, 15, 22], Array(11...14) + Array(16...21)), ([10, 20, 30], []), ([7], []), ([2, 7], []), ([1, 3, 5, 7], []),
  ])
  func gapsOfBothSidesAreMissing(_ numbers: [Int], _ skipped: [Int]) throws {
    let names = numbers.map { "f\($0).png" }
    let (pairing, _) = try Self.pairing(names, names, isComplete: true)
    #expect(Self.names(pairing.missing.map(\.path)) == skipped.map { "f\($0).png" })
    #expect(pairing.pairs.count == names.count)
  }

  @Test(arguments: [[1, 2, 900], [1, 2, 3, 20_261_122]])
  func aHoleTooWideToListIsRefused(_ numbers: [Int]) throws {
    let names = numbers.map { "f\($0).png" }
    let error = #expect(throws: SafelightError.self) { try Self.pairing(names, names, isComplete: true) }
    #expect(error?.kind == .input)
    #expect(error?.description.contains("name only the frames of one sequence") == true)
    #expect(try Self.pairing(names, names).0.pairs.count == names.count)
  }

  /// A lone name does not tell which of its numbers counts.
  @Test(arguments: [
    (["shot.0001.v2.png"], ["shot.0002.v2.png"], 0), (["cat1.png"], ["dog1.png"], 0), (["f7.png"], ["f7.png"], 1),
    (["shot.0001.v2.png"], ["shot.0001.v2.png", "shot.0002.v2.png"], 1), (["f2.png", "f3.png"], ["f3.png"], 1),
    (["f02.png", "f03.png"], ["f4.png"], 0), (["shot.0002.v3.png"], ["shot.0001.v2.png", "shot.0002.v2.png"], 0),
    (["f2.png", "f3.png"], ["g3.png"], 0),
  ])
  func aLoneFrameIsNotTakenForAnother(_ expected: [String], _ actual: [String], _ count: Int) throws {
    let (pairing, _) = try Self.pairing(expected, actual)
    #expect(pairing.pairs.count == count)
    #expect(pairing.pairs.allSatisfy { Self.names([$0.expected]) == Self.names([$0.actual]) })
    #expect(pairing.missing.count == expected.count - count && pairing.extra.count == actual.count - count)
  }

  @Test func framesAreNotVersions() throws {
    let (pairing, _) = try Self.pairing(
      ["shot.0001.v1.png", "shot.0002.v1.png"], ["shot.0001.v1.png", "shot.0001.v2.png"])
    #expect(pairing.pairs.map(\.name) == ["shot.0001.v1.png"])
  }

  /// Pictures that are not compared are reported.
  @Test func picturesInInnerFoldersAreLeftOut() throws {
    let (pairing, folder) = try Self.pairing(["x.png"], ["x.png", "inner/deep/y.PNG", "inner/deep/z.png"])
    #expect(pairing.pairs.count == 1 && pairing.extra == [])
    #expect(pairing.leftOut == [folder.path("b/inner/deep")])
    #expect(try FramePairing(expected: folder.path("a"), actual: folder.path("b/*.png")).leftOut == [])
  }

  @Test func foldersPairByTheirPaths() throws {
    let names = ["f2.png", "one/f1.png", "one/two/f1.png"]
    let (pairing, folder) = try Self.pairing(names + ["one/f2.png"], names + ["two/f1.png"], isRecursive: true)
    #expect(pairing.pairs.map(\.name) == names && pairing.pairs.map(\.place) == names)
    #expect(pairing.pairs.allSatisfy { $0.number == nil })
    #expect(pairing.missing.map(\.path) == [folder.path("a/one/f2.png")])
    #expect(pairing.extra.map(\.path) == [folder.path("b/two/f1.png")])
    #expect(pairing.leftOut == [])
    // A folder without subfolders is the same without the option.
    #expect(try Self.pairing(["f1.png", "f2.png"], ["g1.png", "g2.png"], isRecursive: true).0.pairs.count == 2)
  }

  /// Each family of names counts by itself, in each folder.
  @Test func gapsAreLookedForInFamilies() throws {
    let left = ["f1.png", "f2.png", "f4.png", "cover.png", "in/f7.png", "in/f8.png", "g1.png", "g4.png"]
    let right = ["f2.png", "f4.png", "f5.png", "in/f9.png", "in/f11.png", "cover.png"]
    let (pairing, folder) = try Self.pairing(left, right, isComplete: true, isRecursive: true)
    let gaps = pairing.missing.filter { $0.why == "neither side has it" }.map(\.path)
    #expect(gaps == [folder.path("a/f3.png"), folder.path("a/in/f10.png")])
    let (flat, flatFolder) = try Self.pairing(
      left.filter { !$0.contains("/") }, left.filter { !$0.contains("/") }, isComplete: true)
    #expect(flat.missing.map(\.path) == [flatFolder.path("a/f3.png")])
  }

  @Test func whatDoesNotCountPairsByName() throws {
    let (pairing, _) = try Self.pairing(["blur-3.png", "sharp-3.png"], ["blur-3.png", "edge-3.png"])
    #expect(pairing.pairs.map(\.name) == ["blur-3.png"])
    #expect(Self.names(pairing.missing.map(\.path)) == ["sharp-3.png"])
    #expect(Self.names(pairing.extra.map(\.path)) == ["edge-3.png"])
  }

  @Test func twoFilesPairWhateverTheirNames() throws {
    let folder = TemporaryFolder()
    let (a, b) = (try folder.write(Self.dot, to: "a/golden.png"), try folder.write(Self.dot, to: "b/new.7.png"))
    let pairing = try FramePairing(expected: a, actual: b)
    #expect(pairing.pairs.map(\.expected) == [a])
    #expect(pairing.pairs.map(\.actual) == [b])
    #expect(pairing.pairs.allSatisfy { !$0.isOneFile })
    #expect(try FramePairing(expected: a, actual: folder.path("b/../a/golden.png")).pairs.allSatisfy(\.isOneFile))
  }

  @Test func equalNamesOfOneSideAreRefused() throws {
    let folder = TemporaryFolder()
    for path in ["a/x.png", "b/x.png", "c/y.png"] { try folder.write(Self.dot, to: path) }
    expectError(.usage) { try FramePairing(expected: folder.path("[ab]/*.png"), actual: folder.path("c")) }
  }

  @Test func anEmptySideIsNothingToCompare() throws {
    let folder = TemporaryFolder()
    try folder.write(Self.dot, to: "a/x.png")
    try folder.write([], to: "b/notes.txt")
    for (a, b) in [("a", "b"), ("b", "a"), ("a", "c"), ("c", "a")] {
      expectError(.missingInput) { try FramePairing(expected: folder.path(a), actual: folder.path(b)) }
    }
  }
}
