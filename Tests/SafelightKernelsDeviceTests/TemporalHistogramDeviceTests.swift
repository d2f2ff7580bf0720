import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct TemporalHistogramDeviceTests {
  /// A film's histograms, each its planes' counts one after the other.
  struct Film {
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
    _ film: Film, _ batch: Batch, length: Int, cut: Double,
    before: (TemporalHistogram, Int) -> Size = { _, _ in Size(40, 25) }
  ) throws -> [Readback] {
    let kernel = try TemporalHistogram(device: batch.device, info: film.info, length: length, cut: cut)
    return film.histograms.enumerated().map { picture, counts in
      kernel.encode(to: batch.buffer, size: before(kernel, picture), sourceFormat: film.format) {
        batch.write(counts, to: $0)
      }
      return batch.blit { $0.read(kernel.sum, range: 0..<film.info.histogramSize(forSourceFormat: film.format)) }
    }
  }

  @Test(arguments: TestDevice.all)
  func sumsAreThoseOfTheLastPicturesOfTheScene(_ test: TestDevice) throws {
    let batch = try Batch(test)
    for film in [
      Film(HistogramInfo(), .rgba8Unorm, scenes: [7, 2, 1, 9]), Film(HistogramInfo(), .r8Unorm, scenes: [12]),
      Film(HistogramInfo(entries: 4096, histogramForAlpha: true), .rgba16Uint, scenes: [3, 6]),
      Film(HistogramInfo(), .rgba8Unorm, scenes: [7, 2, 9], hides: true),
    ] {
      for (length, cut) in [(1, 0.4), (2, 0.4), (5, 0.4), (5, 1), (4, 0.02), (30, 0.4)] {
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
    let film = Film(HistogramInfo(), .r8Unorm, scenes: [12])
    let sums = try sums(film, batch, length: 9, cut: 1) { kernel, picture in
      if picture == 4 { kernel.reset() }
      return picture < 8 ? Size(40, 25) : Size(25, 40)
    }
    for (start, pictures) in [(0, 0..<4), (4, 4..<8), (8, 8..<12)] {
      let expected = film.expected(length: 9, cut: 1, from: start)
      for picture in pictures { batch.expect(words: sums[picture], "\(picture)") { expected[picture - start] } }
    }
    try batch.check(againstTwins: false)
  }

  /// A capture may hold a state that no film comes to: the number of pictures wraps.
  @Test(arguments: TestDevice.all)
  func aNumberOfPicturesBeyondAllWraps(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let film = Batch(on: batch.device)
    _ = try sums(Film(HistogramInfo(), .r8Unorm, scenes: [1]), film, length: 2, cut: 1)
    try film.run()
    let state = try batch.words([.max, 5, 0, 0])
    for entry in film.buffer.recording.commands {
      guard case .dispatch(let dispatch) = entry.command, dispatch.pipeline.function.name == "temporal_sum" else {
        continue
      }
      batch.buffer.compute { encoder in
        encoder.bindings = dispatch.bindings
        encoder.setComputePipelineState(dispatch.pipeline)
        encoder.setBuffer(state, index: 3)
        encoder.dispatchThreads(dispatch.threads, threadsPerThreadgroup: dispatch.threadsPerThreadgroup)
      }
    }
    batch.expect(words: batch.read(state), "state") { [Int(UInt32.max), 0, 0, 0] }
    try batch.check(againstTwins: false)
  }

  /// Twice the samples of four planes, and those of all pictures, are below 2³².
  @Test func sumsThatMayOverflowAreRefused() throws {
    func film(_ length: Int) throws -> TemporalHistogram {
      try TemporalHistogram(device: Device.open(.cpu), info: HistogramInfo(), length: length, cut: 0.4)
    }
    let (long, short) = (try film(200), try film(2))
    try long.check(Size(5000, 4000))
    expectError(.limit, remedy: "sum at most 121 histograms") { try long.check(Size(8192, 4320)) }
    try short.check(Size(20000, 20000))
    #expect(throws: SafelightError.self) { try short.check(Size(30000, 20000)) }
  }
}
