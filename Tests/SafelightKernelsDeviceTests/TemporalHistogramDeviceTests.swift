import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct TemporalHistogramDeviceTests {
  /// A film's histograms, each its planes' counts one after the other.
  struct Video {
    var info: HistogramInfo
    var format: PixelFormat
    var histograms: [[UInt32]]

    /// Scenes of so many pictures: within one a few samples move, from one to the next all do. With `hides`, other
    /// numbers of samples count in each, in some none.
    init(_ info: HistogramInfo, _ format: PixelFormat, scenes: [Int], hides: Bool = false) {
      self.info = info
      self.format = format
      histograms = scenes.enumerated().flatMap { scene, length in
        (0..<length).map { picture in
          (0..<info.planes(for: format)).flatMap { plane -> [UInt32] in
            var counts = [UInt32](repeating: 0, count: info.entries)
            for sample in 0..<(hides ? [1000, 300, 240, 0, 0, 520][picture % 6] : 1000) {
              let moved = sample < 100 ? picture * 31 : 0
              let place = (sample * 7 + plane * 50 + moved) % (info.entries / 4) + scene % 3 * info.entries / 3
              counts[place % info.entries] += 1
            }
            return counts
          }
        }
      }
    }

    /// The sums by the documentation, over whole lists.
    func expected(length: Int, cut: Double, from start: Int = 0) -> [[Int]] {
      var first = start
      return histograms.indices[start...].map { picture in
        if picture > start, isCut(picture, cut) { first = picture }
        let window = max(first, picture - length + 1)...picture
        return histograms[picture].indices.map { entry in window.reduce(0) { $0 + Int(histograms[$1][entry]) } }
      }
    }

    private func isCut(_ picture: Int, _ cut: Double) -> Bool {
      func groups(_ counts: [UInt32]) -> [Int] {
        stride(from: 0, to: counts.count, by: info.entries / 64).map { first in
          counts[first..<first + info.entries / 64].reduce(0) { $0 + Int($1) }
        }
      }
      let (now, before) = (groups(histograms[picture]), groups(histograms[picture - 1]))
      let distance = zip(now, before).reduce(0) { $0 + abs($1.0 - $1.1) }
      return Double(distance) > (cut * 65536).rounded() / 65536 * Double(now.reduce(0, +) + before.reduce(0, +))
    }
  }

  /// Sums of `film` as the device makes them.
  private func sums(
    _ film: Video, _ batch: Batch, length: Int, cut: Double,
    before: (EarlierNumbers, Int) -> Size = { _, _ in Size(40, 25) }
  ) throws -> [Readback] {
    let planes = film.info.planes(for: film.format)
    let passes = TemporalHistogram(length: length, cut: cut).passes(planes: planes, entries: film.info.entries)
    let earlier = EarlierNumbers()
    return try film.histograms.enumerated().map { picture, counts in
      let picture = PassPicture(film.format.descriptor(before(earlier, picture)), film.format)
      let plan = PassPlan(
        unlimited: passes, of: "film", from: picture, given: [.numbers(0): .init(words: counts.count)], to: [])
      let resources = earlier.next(plan)
      guard case .words(let words, _) = resources[.numbers(0)], case .words(let sum, _) = resources[.numbers(4)] else {
        throw SafelightError(.input, "film", why: "numbers have no memory", remedy: "")
      }
      batch.write(counts, to: words)
      PassRecorder(plan: plan, call: "film", buffer: batch.buffer).encode((1...4).map { .numbers($0) }, resources)
      return batch.read(sum)
    }
  }

  @Test(arguments: TestDevice.all)
  func sumsAreThoseOfTheLastPicturesOfTheScene(_ test: TestDevice) throws {
    let batch = try Batch(test)
    for film in [
      Video(HistogramInfo(), .rgba8Unorm, scenes: [7, 2, 1, 9]), Video(HistogramInfo(), .r8Unorm, scenes: [12]),
      Video(HistogramInfo(entries: 4096, histogramForAlpha: true), .rgba16Uint, scenes: [3, 6]),
      Video(HistogramInfo(), .rgba8Unorm, scenes: [7, 2, 9], hides: true),
    ] {
      for (length, cut) in [(2, 0.4), (5, 0.4), (5, 1), (4, 0.02), (30, 0.4)] {
        let expected = film.expected(length: length, cut: cut)
        for (picture, sum) in try sums(film, batch, length: length, cut: cut).enumerated() {
          batch.expect(words: sum, "picture \(picture), \(film.format), \(length), \(cut)") { expected[picture] }
        }
      }
    }
    try batch.check()
  }

  @Test(arguments: TestDevice.all)
  func resetsAndOtherSizesBeginAnew(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let film = Video(HistogramInfo(), .r8Unorm, scenes: [12])
    let sums = try sums(film, batch, length: 9, cut: 1) { earlier, picture in
      if picture == 4 { earlier.reset() }
      return picture < 8 ? Size(40, 25) : Size(25, 40)
    }
    for (start, pictures) in [(0, 0..<4), (4, 4..<8), (8, 8..<12)] {
      let expected = film.expected(length: 9, cut: 1, from: start)
      for picture in pictures { batch.expect(words: sums[picture], "\(picture)") { expected[picture - start] } }
    }
    try batch.check(againstTwins: false)
  }

  /// Twice the samples of four planes, and those of all pictures, are below 2³².
  @Test func sumsThatMayOverflowAreRefused() throws {
    let (long, short) = (TemporalHistogram(length: 200, cut: 0.4), TemporalHistogram(length: 2, cut: 0.4))
    try long.check(Size(5000, 4000))
    expectError(.limit, remedy: "sum at most 121 histograms") { try long.check(Size(8192, 4320)) }
    try short.check(Size(20000, 20000))
    #expect(throws: SafelightError.self) { try short.check(Size(30000, 20000)) }
  }
}
