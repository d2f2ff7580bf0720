import Foundation
import SafelightFrames
import SafelightGolden
import SafelightImage
import Synchronization
import TestSupport
import Testing

@Suite struct SequenceComparisonTests {
  private typealias Frames = [(number: Int, image: Image)]

  private static let expected: Frames = (1...12).map { ($0, Video.frame($0)) }

  /// The results of comparing `actual`.
  private typealias Seen = (comparison: SequenceComparison, frames: [FrameComparison])

  private static func compare(
    _ actual: Frames, with expected: Frames = expected, tolerance: String = "exact", mask: ImageMask? = nil,
    jobs: Int = 2
  ) throws -> Seen {
    let folder = TemporaryFolder()
    try write(expected, to: folder, "a")
    try write(actual, to: folder, "b")
    let pairing = try FramePairing(expected: folder.path("a"), actual: folder.path("b"))
    var frames: [FrameComparison] = []
    let rules = try ComparisonRules(Tolerance(tolerance), mask: mask.map { .picture($0) })
    let comparison = try SequenceComparison(pairing, rules: rules, jobs: jobs) { frames.append($0) }
    return (comparison, frames)
  }

  private static func write(_ frames: Frames, to folder: TemporaryFolder, _ place: String) throws {
    for (number, image) in frames { try folder.write(image, to: "\(place)/f\(String(format: "%04d", number)).png") }
  }

  /// Returns the expected frames with those of these numbers replaced.
  private static func changing(_ changes: [Int: Image]) -> Frames {
    expected.map { ($0.number, changes[$0.number] ?? $0.image) }
  }

  @Test func equalSequencesPass() throws {
    let seen = try Self.compare(Self.expected)
    #expect(seen.comparison.passes)
    #expect(seen.comparison.counts[.exact] == 12)
    #expect(seen.comparison.canary?.isSound == true)
    #expect(seen.frames.map(\.pair.name) == (1...12).map { "frame \($0)" })
    #expect(seen.frames.dropFirst().allSatisfy { $0.flicker == 0 })
  }

  /// A first frame of one color may have nothing to damage by enough; a later one has.
  @Test func aFlatFirstFrameIsNoUnsoundRun() throws {
    let bytes = (0..<Video.size.area).flatMap { _ in [128, 128, 128, 255] as [UInt8] }
    let flat = Image(size: Video.size, channels: .rgb, depth: .bits8, bytes: bytes)
    let frames = [(0, flat)] + Self.expected.prefix(3)
    #expect(try Self.compare(frames, with: frames, tolerance: "max<=200 && mean<=1").comparison.canary?.isSound == true)
    let flats = (0..<3).map { ($0, flat) }
    #expect(try Self.compare(flats, with: flats, tolerance: "max<=200 && mean<=1").comparison.canary?.isSound == false)
  }

  @Test func oneSampleIsSeenAndTheToleranceDecides() throws {
    let actual = Self.changing([5: Video.touched(Video.frame(5), by: 2)])
    let exact = try Self.compare(actual)
    #expect(!exact.comparison.passes)
    #expect(exact.comparison.statuses[4] == .differs)
    #expect(exact.comparison.counts[.exact] == 11)
    let place = try #require(exact.frames[4].verdict?.difference.place)
    #expect((place.x, place.y, place.channel) == (17, 11, 1))
    let within = try Self.compare(actual, tolerance: "max<=2")
    #expect(within.comparison.passes)
    #expect(within.comparison.statuses[4] == .within)
  }

  @Test func missingAndExtraFramesDoNotPass() throws {
    for actual in [Self.expected.filter { $0.number != 7 }, Self.expected + [(13, Video.frame(13))]] {
      let seen = try Self.compare(actual)
      #expect(!seen.comparison.passes)
      #expect(seen.comparison.statuses.allSatisfy { $0 == .exact })
      #expect(seen.comparison.pairing.missing.count + seen.comparison.pairing.extra.count == 1)
    }
  }

  @Test func aRepeatedFrameIsNamed() throws {
    let seen = try Self.compare(Self.changing([6: Video.frame(5)]))
    #expect(seen.comparison.duplicates == [5])
    #expect(seen.comparison.shifts == [])
    let still = (1...4).map { ($0, Video.frame(1)) }
    #expect(try Self.compare(still, with: still).comparison.duplicates == [])
  }

  @Test(arguments: [1, -1, 2, -3])
  func aDelayIsOneFault(_ delay: Int) throws {
    let actual = Self.expected.map { ($0.number, Video.frame($0.number < 5 ? $0.number : $0.number - delay)) }
    let seen = try Self.compare(actual)
    #expect(seen.comparison.shifts.map(\.delay) == [delay])
    #expect(seen.comparison.shifts.first?.frames.lowerBound == 4)
    // The frame that shows the 13th has no expected counterpart, and can only fail.
    #expect(seen.comparison.shifts.first?.frames.upperBound == 12)
  }

  /// The first frame shows one from before the sequence, which nothing here explains.
  @Test func aDelayFromTheStartHasAllFrames() throws {
    let actual = Self.expected.map { ($0.number, Video.frame($0.number - 1)) }
    #expect(try Self.compare(actual).comparison.shifts.map(\.frames) == [0..<12])
  }

  /// Frames that fail at the end for another reason, after sound frames, are not part of it.
  @Test func aDelayEndsWhereFramesAreSound() throws {
    let actual = Self.expected.map { ($0.number, Video.frame((3...8).contains($0.number) ? $0.number + 1 : $0.number)) }
    #expect(try Self.compare(actual).comparison.shifts.map(\.frames) == [2..<8])
  }

  @Test func aDelayIsSeenThroughNoise() throws {
    let actual = Self.expected.map { number, _ in (number, Video.touched(Video.frame(max(1, number - 1)), by: 3)) }
    #expect(try Self.compare(actual).comparison.shifts.map(\.delay) == [1])
  }

  @Test func otherDamageIsNoDelay() throws {
    let actual = Self.expected.map { number, image in
      (number, image.replacing(bytes: image.bytes.map { $0 / 2 }))
    }
    let seen = try Self.compare(actual)
    #expect(seen.comparison.counts[.differs] == 12)
    #expect(seen.comparison.shifts == [])
    #expect(seen.comparison.flashes == [])
  }

  @Test func aFlashIsNamed() throws {
    let frame = Video.frame(6)
    let white = frame.replacing(bytes: frame.bytes.map { _ in 255 })
    #expect(try Self.compare(Self.changing([6: white])).comparison.flashes == [5])
  }

  @Test func flickerIsTheChangeOfTheDifference() throws {
    // Steady: one step up in all frames, so only the first has no frame before.
    func lifted(_ image: Image, _ steps: UInt8) -> Image {
      image.replacing(bytes: image.bytes.enumerated().map { $0 % 4 == 3 ? $1 : $1 > 250 ? $1 - steps : $1 + steps })
    }
    let still = (1...4).map { (number: $0, image: Video.frame(1)) }
    let steady = try Self.compare(still.map { ($0.number, lifted($0.image, 1)) }, with: still)
    #expect(steady.frames.map(\.flicker) == [nil, 0, 0, 0])
    let flickering = try Self.compare(still.map { ($0.number, lifted($0.image, UInt8($0.number % 2))) }, with: still)
    #expect(flickering.frames.map(\.flicker) == [nil, 1, 1, 1])
  }

  @Test func whatCannotBeComparedIsAnOutcome() throws {
    let small = Image(size: Size(2, 2), channels: .rgb, depth: .bits8, bytes: [UInt8](repeating: 9, count: 16))
    let seen = try Self.compare(Self.changing([3: small]))
    #expect(seen.comparison.statuses[2] == .incomparable)
    #expect(seen.comparison.counts[.exact] == 11)
    let error = try #require(seen.frames[2].error)
    #expect(error.kind == .incomparable)
    #expect(error.description.contains("48×32") && error.description.contains("2×2"))
    #expect(error.description.contains("f0003.png"))
  }

  @Test(arguments: [(0, "Git LFS"), (1, "truncated"), (2, "not a PNG")])
  func whatCannotBeReadIsAnOutcome(_ fault: Int, _ reason: String) throws {
    let folder = TemporaryFolder()
    try Self.write(Self.expected, to: folder, "a")
    try Self.write(Self.expected, to: folder, "b")
    let sound = try PNGEncoder.encode(PNGFile(image: Video.frame(4)))
    let damaged = [GoldenSandbox.pointer, Array(sound.prefix(sound.count / 2)), [1, 2, 3]][fault]
    try folder.write(damaged, to: "b/f0004.png")
    var error: SafelightError?
    let pairing = try FramePairing(expected: folder.path("a"), actual: folder.path("b"))
    let comparison = try SequenceComparison(pairing, rules: ComparisonRules(.exact)) { error = error ?? $0.error }
    #expect(comparison.statuses[3] == .unreadable)
    #expect(comparison.counts[.exact] == 11)
    #expect(!comparison.passes)
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("f0004.png") == true)
  }

  @Test func aMaskHidesAndMustFit() throws {
    let actual = Self.changing([5: Video.touched(Video.frame(5), by: 200)])
    let mask = ImageMask(hiding: [Region(x: 17, y: 11, width: 1, height: 1)], of: Video.size)
    #expect(try Self.compare(actual, mask: mask).comparison.passes)
    let other = ImageMask(hiding: [Region(x: 0, y: 0, width: 1, height: 1)], of: Size(9, 9))
    #expect(try Self.compare(actual, mask: other).comparison.counts[.incomparable] == 12)
  }

  @Test func anUnsoundComparisonDoesNotPass() throws {
    let seen = try Self.compare(Self.expected, tolerance: "max<=255")
    #expect(seen.comparison.counts[.exact] == 12)
    #expect(seen.comparison.canary?.isSound == false)
    #expect(!seen.comparison.passes)
  }

  @Test func theNumberOfThreadsChangesNothing() throws {
    let actual = Self.changing([2: Video.frame(1), 6: Video.touched(Video.frame(6), by: 9), 9: Video.frame(3)])
    let texts = try [1, 2, 8].map { jobs in
      let seen = try Self.compare(actual, jobs: jobs)
      return seen.frames.map { "\($0.status) \($0.flicker ?? -1) \($0.verdict?.description ?? "")" }
        + ["\(seen.comparison.duplicates) \(seen.comparison.shifts) \(seen.comparison.flashes)"]
    }
    #expect(texts[0] == texts[1])
    #expect(texts[0] == texts[2])
  }
}

@Suite struct OrderedWorkTests {
  private struct Stop: Error {}

  @Test(arguments: [1, 2, 7, 40])
  func resultsComeInOrder(_ jobs: Int) {
    var delivered: [Int] = []
    OrderedWork.run(30, jobs: jobs) {
      $0 * $0
    } deliver: { index, square in
      #expect(square == index * index)
      delivered.append(index)
    }
    #expect(delivered == Array(0..<30))
  }

  @Test func fewResultsAreOnTheWay() {
    let begun = Mutex(0)
    OrderedWork.run(100, jobs: 3) { _ in
      begun.withLock { $0 += 1 }
    } deliver: { index, _ in
      #expect(begun.withLock { $0 } <= index + 4)
    }
    #expect(begun.withLock { $0 } == 100)
  }

  @Test func whatDeliveryThrowsStopsTheRest() {
    let begun = Mutex(0)
    #expect(throws: Stop.self) {
      try OrderedWork.run(1000, jobs: 2) { _ in
        begun.withLock { $0 += 1 }
      } deliver: { index, _ in
        if index == 5 { throw Stop() }
      }
    }
    #expect(begun.withLock { $0 } < 20)
  }

  @Test func nothingIsDoneForNothing() {
    OrderedWork.run(0, jobs: 4) {
      $0
    } deliver: { _, _ in
      Issue.record("there is nothing to deliver")
    }
  }
}
