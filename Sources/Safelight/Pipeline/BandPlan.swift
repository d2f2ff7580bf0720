internal import SafelightImage
internal import SafelightKernels

/// How a picture goes through a chain in bands of rows.
///
/// The picture is read once for each survey of a filter, from the top down, and once more for the result. Each reading
/// takes it through the filters before.
struct BandPlan: Sendable {
  /// A reading of the picture.
  struct Sweep: Sendable {
    /// The number of filters that the picture passes.
    let level: Int
    /// The survey of the filter behind them; nil for the result.
    let survey: Int?
    /// The filters whose results are made for the first time.
    let beginning: Range<Int>
    /// The rows that are surveyed or made together: of the picture that the last of the filters makes.
    let bands: [Range<Int>]
  }

  /// The picture, then what each filter makes.
  let images: [ImageDescriptor]
  let stages: [any StageBands]
  private(set) var sweeps: [Sweep] = []
  /// The bytes of memory that bands take, with what lies around them, with second pictures, tables and numbers.
  private(set) var byteCount = 0

  private let temporaryBytesPerRow: [Int]

  /// Plans bands of about `bandByteCount` bytes of each picture and of temporaries together, for pictures of which the
  /// filters take `others` besides.
  init(
    _ images: [ImageDescriptor], _ stages: [any StageBands], _ temporaryBytesPerRow: [Int], others: Int,
    bandByteCount: Int
  ) {
    self.images = images
    self.stages = stages
    self.temporaryBytesPerRow = temporaryBytesPerRow
    for (level, stage) in stages.enumerated() {
      for survey in 0..<stage.surveys { add(level, survey, bandByteCount) }
    }
    add(stages.count, nil, bandByteCount)
    byteCount += others
  }

  /// The picture that is made.
  var result: ImageDescriptor { images[images.count - 1] }

  /// Returns the rows of each picture that are needed for a band, those of the first picture first.
  func needs(for band: Range<Int>, in sweep: Sweep) -> [Range<Int>] { needs(for: band, sweep.level, sweep.survey) }

  private func needs(for band: Range<Int>, _ level: Int, _ survey: Int?) -> [Range<Int>] {
    var needed = survey.map { stages[level].rows(for: band, survey: $0) } ?? band
    var needs = [needed]
    for stage in stages[..<level].reversed() {
      needed = stage.rows(for: needed, survey: nil)
      needs.append(needed)
    }
    return needs.reversed()
  }

  /// Adds a sweep to the picture behind `level` filters. The rows of all pictures that are made together have about
  /// `bandByteCount` bytes, besides those that windows need around.
  private mutating func add(_ level: Int, _ survey: Int?, _ bandByteCount: Int) {
    let height = images[level].size.height
    func bytes(for count: Int) -> [Int] {
      let first = (height - count) / 2
      return zip(needs(for: first..<first + count, level, survey), images).map { $0.count * $1.bytesPerRow }
    }
    // The rows around a band are uploaded again with each band, so filters with high windows get high bands.
    let around = bytes(for: 1).reduce(0, +)
    let most = max(bandByteCount, around / 2)
    let temporaries = temporaryBytesPerRow[..<level].reduce(0, +)
    var count = min(height, max(1, most / (images[...level].map(\.bytesPerRow).reduce(0, +) + temporaries)))
    while count > 1, bytes(for: count).reduce(0, +) - around > most { count /= 2 }
    sweeps.append(
      Sweep(
        level: level, survey: survey, beginning: (sweeps.last?.level ?? 0)..<level,
        bands: stride(from: 0, to: height, by: count).map { $0..<min($0 + count, height) }))
    let textures = bytes(for: count)
    let made = survey == nil ? textures[level] : 0
    // The source as rows that are read, rows that stay, a picture and its upload; what is made as it is read back, as
    // it waits, as it is written, and as its file's bytes.
    let held = 4 * textures[0] + textures.reduce(0, +) + 4 * made
    byteCount = max(byteCount, held + temporaries * needs(for: 0..<count, level, survey)[0].count)
  }
}

/// Whether a chain makes pictures in bands.
enum ChainBands {
  case bands([any StageBands])
  /// A filter needs whole pictures, as a clause says; another says why.
  case whole(String, why: String)
}

extension FilterChain {
  /// Returns the ways of one picture through the filters; `images` are the picture and what each filter makes.
  func bands(of images: [ImageDescriptor]) throws(SafelightError) -> ChainBands {
    var stages: [any StageBands] = []
    for (filter, (source, result)) in zip(filters, zip(images, images.dropFirst())) {
      let banded = filter as? any BandedStage
      let name = banded.map { "filter '\($0.call)'" } ?? "a filter of the program's own"
      guard filter.history == 0 else {
        return .whole("\(name) remembers the frames before", why: "a frame in bands is begun several times")
      }
      let stage = filter.isPointwise ? PointwiseBands(filter) : try banded?.bands(of: source)
      let obstacle =
        stage.map { $0.obstacle(from: source.size, to: result.size) }
        ?? (filter.dependsOnPosition
          ? "the rows that it needs change over time" : "it needs rows again after those below them")
      guard let stage, obstacle == nil else { return .whole("\(name) needs all of it at once", why: obstacle ?? "") }
      stages.append(stage)
    }
    return .bands(stages)
  }

  /// Returns what each filter needs besides its pictures.
  func byteCounts(for images: [ImageDescriptor]) throws(SafelightError) -> [StageByteCounts] {
    var counts: [StageByteCounts] = []
    for (filter, image) in zip(filters, images) {
      var count = try (filter as? any BandedStage)?.byteCounts(for: image) ?? StageByteCounts()
      // Second pictures, and their textures.
      count.fixed += 2 * (filter.secondCount + (filter.readsMask ? 1 : 0)) * image.byteCount
      counts.append(count)
    }
    return counts
  }
}

extension StageBands {
  /// Returns a clause that says why the rows which results need do not come from the top down, a few of them for each;
  /// nil if they do.
  fileprivate func obstacle(from source: Size, to result: Size) -> String? {
    for survey in (0..<surveys).map({ $0 }) + [nil] as [Int?] {
      let height = survey == nil ? result.height : source.height
      var last = 0..<0
      // Footprints that go back for some rows alone make no bands; others have one shape everywhere, so some rows tell.
      for row in stride(from: 0, to: height, by: max(1, height / 64)) {
        let needed = rows(for: row..<row + 1, survey: survey)
        if needed.lowerBound < last.lowerBound || needed.upperBound < last.upperBound {
          return "its rows need those of the picture from the bottom up"
        }
        if 4 * (needed.count - 1) > source.height {
          let part = needed.count == source.height ? "all" : "more than a quarter of all"
          return "one of its rows needs \(part) rows of the picture"
        }
        last = needed
      }
    }
    return nil
  }
}

extension ImageDescriptor {
  /// The bytes of all pixels in memory; 2⁵⁶ for more.
  var byteCount: Int {
    let (count, isTooLarge) = size.area.multipliedReportingOverflow(by: pixelFormat.bytesPerPixel)
    return isTooLarge ? 1 << 56 : min(count, 1 << 56)
  }
}
