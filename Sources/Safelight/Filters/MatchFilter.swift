import FoundationEssentials
internal import SafelightFrames
internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// `match`: ``ImageHistogramSpecification`` to the histogram of a file.
struct MatchFilter: PassKernel {
  var reference = ""
  var channels = HistogramInfo.Channels.each
  var counts = CountedPixels.visible
  /// The reference's histograms for both depths, once they are counted.
  private var histograms: [SampleDepth: Histogram] = [:]

  static let card = KernelCard<Self>(
    "match", "gives the picture the distribution of another (histogram specification)",
    discussion: """
      A look-up table is made from the picture's histogram and that of the reference. Per channel, S(i) counts the
      pixels of the picture up to entry i, N all of them; D(j) and M those of the reference:

          table(i) = value(j), j of the entries that the reference has, with |D(j)/M - S(i)/N| least, of two the lower
          value(j) = nearest(j * maximum / (entries - 1))

      Fractions are compared crosswise in 64 bits. With an entry for every value, value(j) is j, and only values of
      the reference come out. Alpha stays; a picture matched with itself stays as it is.

      The reference is a PNG picture of any size and depth, or what safelight histogram --format json wrote, whose
      frames are summed. A gray reference serves red, green and blue alike; a gray picture needs a gray reference or
      channels=luma.

      Pixels of alpha 0 are not counted where alpha is straight, in neither picture, unless counts=all. If all of one
      are such pixels, the picture stays as it is.

      With channels=luma the luma Y = (19595*R + 38470*G + 7471*B + 32768) >> 16 of BT.601 is matched and the chroma
      kept: d = table(Y) - Y, and R, G, B become clamp(v + d, 0, maximum).
      """,
    [
      .file(
        "reference", "the picture or histogram to match", \.reference, form: "a PNG picture or a histogram in JSON"),
      .choice("channels", "what is matched", \.channels),
      .choice("counts", "the pixels that are counted", \.counts),
    ],
    // Conformance makes references of its own.
    examples: [])

  static let formats = PixelFormat.pointFormats

  init() {}

  /// Matches a reference in memory.
  init(_ channels: HistogramInfo.Channels, reference: HistogramReference) throws(SafelightError) {
    self.channels = channels
    try read(reference)
  }

  func prepared() throws -> Self {
    var filter = self
    if histograms.isEmpty { try filter.read(HistogramReference(reading: reference)) }
    return filter
  }

  private mutating func read(_ reference: HistogramReference) throws(SafelightError) {
    for depth in SampleDepth.allCases { histograms[depth] = try reference.histogram(channels, counts, depth: depth) }
  }

  func check(_ image: ImageDescriptor) throws(SafelightError) {
    let counted = histograms[image.depth]?.channels ?? []
    try ensure(
      !image.channels.isGray || channels != .each || counted == [.gray], .unsupported, "filter 'match'",
      why: "the picture is gray, and the reference has \(counted.map(\.rawValue).joined(separator: ", "))",
      remedy: "use channels=luma, or a gray reference")
  }

  func passes(for picture: PassPicture) -> [Pass] {
    guard let reference = histograms[picture.image.depth] else {
      trap("match was asked for its passes before it read its reference; call prepared()")
    }
    let info = HistogramInfo(entries: reference.entries, channels: channels, pixels: counts)
    // Gray serves every channel.
    let counts = (0..<info.planes(for: picture.pixelFormat)).map { plane in
      reference.counts(reference.channels.count == 1 ? reference.channels[0] : reference.channels[plane])
    }
    return [
      .histogram(info, of: picture), .sums(info, of: picture, counts: 0, to: 1),
      .specification(info, of: picture, sums: 1, desired: .table("desired", DesiredSums(counts: counts))),
      .equalized(info, picture),
    ]
  }
}

/// The source of a distribution for `match`: a picture, or a histogram that `safelight histogram` wrote.
enum HistogramReference {
  case picture(Image, path: String)
  case stored(Histogram, path: String)

  /// Reads a file: JSON if it begins with a brace, after a byte order mark and white space, else PNG.
  ///
  /// - Throws: ``SafelightError`` of kind `input` for a file that is neither, or whose counts cannot be a histogram.
  init(reading path: String) throws {
    let bytes = try readFile(path, limit: 1 << 28)
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    if text.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{") {
      self = .stored(try Self.stored(text, path), path: path)
    } else {
      self = .picture(try PNGFile(reading: path).image, path: path)
    }
  }

  /// Returns the histogram for pictures of `depth`; that of a picture has an entry for every value.
  func histogram(
    _ channels: HistogramInfo.Channels, _ pixels: CountedPixels, depth: SampleDepth
  ) throws(SafelightError) -> Histogram {
    switch self {
    case .picture(let image, _):
      return Histogram(counting: image, .complete(depth, channels: channels, pixels: pixels))
    case .stored(let histogram, let path):
      if histogram.channels == [.gray] { return histogram }
      let wanted: [Histogram.Channel] = channels == .luma ? [.luma] : [.red, .green, .blue]
      try ensure(
        wanted.allSatisfy(histogram.channels.contains), .input, path,
        why: "it counts \(histogram.channels.map(\.rawValue).joined(separator: ", ")), but counts of "
          + "\(wanted.map(\.rawValue).joined(separator: ", ")) are needed",
        remedy: channels == .luma
          ? "name the picture itself, not a histogram" : "use a histogram of red, green and blue, or of gray")
      return Histogram(wanted.map { ($0, histogram.counts($0)) })
    }
  }

  // MARK: Stored histograms

  private struct Document: Decodable {
    struct Frame: Decodable {
      let channels: [String: [UInt64]]
    }

    let frames: [Frame]
  }

  /// Returns the sum of the frames of a document.
  private static func stored(_ text: ArraySlice<UInt8>, _ path: String) throws(SafelightError) -> Histogram {
    func refused(_ why: String) -> SafelightError {
      SafelightError(.input, path, why: why, remedy: "name a picture, or a histogram of one as JSON")
    }
    let document: Document
    do {
      document = try JSONDecoder().decode(Document.self, from: Data(text))
    } catch let error as DecodingError {
      throw refused(error.reason)
    } catch {
      throw refused("\(error)")
    }
    var sum: [Histogram.Channel: [UInt64]] = [:]
    for (name, counts) in document.frames.flatMap(\.channels) {
      guard let channel = Histogram.Channel(rawValue: name) else { throw refused("there is no channel '\(name)'") }
      guard HistogramInfo.entryCounts.contains(counts.count) else {
        throw refused("'\(name)' has \(counts.count) entries; a histogram has 256, 512, … or 65536")
      }
      let before = sum[channel] ?? [UInt64](repeating: 0, count: counts.count)
      guard before.count == counts.count else { throw refused("its frames differ in their entries") }
      // No sum of so many entries overflows.
      let total = (before + counts).reduce(0) { $0 + min($1, 1 << 40) }
      guard total <= UInt32.max else { throw refused("'\(name)' counts more than 4294967295 samples") }
      sum[channel] = zip(before, counts).map(+)
    }
    let planes = Histogram.Channel.allCases.compactMap { channel in
      sum[channel].map { (channel: channel, counts: $0) }
    }
    guard let first = planes.first, planes.allSatisfy({ $0.counts.count == first.counts.count }) else {
      throw refused(planes.isEmpty ? "it holds no frames" : "its channels differ in their number of entries")
    }
    return Histogram(planes)
  }
}
