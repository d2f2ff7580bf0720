import FoundationEssentials
internal import SafelightFrames
internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// What `match` takes a distribution from: a picture, or a histogram that `safelight histogram` wrote.
enum HistogramReference {
  case picture(Image, path: String)
  case stored(Histogram, path: String)

  /// Reads a file; JSON where it begins with a brace, after a byte order mark and white space, else PNG.
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

  /// The histogram that pictures of `depth` are given; for a picture one with an entry for every value.
  func histogram(_ channels: HistogramInfo.Channels, depth: SampleDepth, device: Device) throws -> Histogram {
    switch self {
    case .picture(let image, let path):
      let reader = HistogramReader(device: device, info: .complete(depth, channels: channels))
      return try reader.count(image, label: path).wait()
    case .stored(let histogram, let path):
      if histogram.channels == [.gray] { return histogram }
      let wanted: [Histogram.Channel] = channels == .luma ? [.luma] : [.red, .green, .blue]
      guard wanted.allSatisfy(histogram.channels.contains) else {
        throw SafelightError(
          .input, path,
          why: "it holds \(histogram.channels.map(\.rawValue).joined(separator: ", ")), and "
            + "\(wanted.map(\.rawValue).joined(separator: ", ")) is wanted",
          remedy: channels == .luma ? "name the picture itself" : "use a histogram of red, green and blue, or of gray")
      }
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

  /// The sum of the frames of a document.
  private static func stored(_ text: ArraySlice<UInt8>, _ path: String) throws(SafelightError) -> Histogram {
    func refused(_ why: String) -> SafelightError {
      SafelightError(
        .input, path, why: why, remedy: "name a picture, or the counts of one as JSON")
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
    for frame in document.frames {
      for (name, counts) in frame.channels {
        guard let channel = Histogram.Channel(rawValue: name) else { throw refused("there is no channel '\(name)'") }
        guard HistogramInfo.entryCounts.contains(counts.count) else {
          throw refused("'\(name)' has \(counts.count) entries; a histogram has 256, 512, … or 65536")
        }
        let before = sum[channel] ?? [UInt64](repeating: 0, count: counts.count)
        guard before.count == counts.count else { throw refused("its frames differ in their entries") }
        var total: UInt64 = 0
        sum[channel] = try zip(before, counts).map { (one, other) throws(SafelightError) in
          total = max(total, one, other) <= UInt32.max ? total + one + other : .max / 2
          guard total <= UInt32.max else { throw refused("'\(name)' counts more than 4294967295 samples") }
          return one + other
        }
      }
    }
    let planes = Histogram.Channel.allCases.compactMap { channel in sum[channel].map { (channel: channel, counts: $0) }
    }
    guard let first = planes.first, planes.allSatisfy({ $0.counts.count == first.counts.count }) else {
      throw refused(planes.isEmpty ? "it holds no frames" : "its channels differ in their entries")
    }
    return Histogram(planes)
  }
}
