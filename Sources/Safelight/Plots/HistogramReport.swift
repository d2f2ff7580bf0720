public import SafelightGPU
public import SafelightImage
public import SafelightKernels

/// The histograms of a sequence for other programs: JSON or CSV.
///
/// A long sequence need not be kept in memory: write ``jsonOpening``, the ``Frame/json`` of each frame with commas
/// between, and ``jsonClosing``; or ``csvHeader`` and each frame's ``Frame/csv``.
public struct HistogramReport: Hashable, Sendable {
  /// The histograms of one frame.
  public struct Frame: Hashable, Sendable {
    /// The place in the sequence, from 0.
    public let index: Int
    /// The file's name as given by the user.
    public let file: String
    /// The size of the picture.
    public let size: Size
    /// Bits in a sample.
    public let depth: SampleDepth
    /// The channels, all with the same number of bins.
    public let series: [HistogramSeries]

    /// Makes the entry of one frame; the series must agree in their number of bins and differ in their channels.
    public init(index: Int, file: String, size: Size, depth: SampleDepth, series: [HistogramSeries]) {
      trap(unless: Set(series.map(\.counts.count)).count <= 1, "the series of '\(file)' differ in their number of bins")
      trap(unless: Set(series.map(\.channel)).count == series.count, "'\(file)' has two series of one channel")
      self.index = index
      self.file = file
      self.size = size
      self.depth = depth
      self.series = series
    }

    /// The frame as a JSON object on one line, channels in the order of ``series``.
    public var json: String {
      let channels = series.map { ($0.channel.rawValue, JSONText.array($0.counts.map { String($0) })) }
      return JSONText.object([
        ("index", String(index)), ("file", JSONText.string(file)), ("width", String(size.width)),
        ("height", String(size.height)), ("depth", String(depth.rawValue)),
        ("entries", String(series.first?.counts.count ?? 0)), ("channels", JSONText.object(channels)),
      ])
    }

    /// The frame as CSV: a line for each channel and bin, each ended by a line feed.
    public var csv: String {
      let name = CSVText.field(file)
      var text = ""
      for one in series {
        for (bin, count) in one.counts.enumerated() {
          text += "\(index),\(name),\(one.channel.rawValue),\(bin),\(count)\n"
        }
      }
      return text
    }
  }

  /// The frames, in the order of the sequence.
  public var frames: [Frame]

  /// Makes a report.
  public init(_ frames: [Frame]) { self.frames = frames }

  /// The text before the first frame in JSON.
  public static let jsonOpening = "{\"frames\":["
  /// The text after the last frame in JSON, with the final line feed.
  public static let jsonClosing = "]}\n"
  /// The first line of CSV, with its line feed.
  public static let csvHeader = "frame,file,channel,bin,count\n"

  /// The report as one line of JSON: `{"frames":[{"index":0,"file":"a.png",…,"channels":{"red":[…]}}]}`.
  public var json: String { Self.jsonOpening + frames.map(\.json).joined(separator: ",") + Self.jsonClosing }

  /// The report as CSV: quoted as in RFC 4180, with lines that end in a line feed as Unix tools expect.
  public var csv: String { Self.csvHeader + frames.map(\.csv).joined() }
}

/// Fields of CSV, quoted as in RFC 4180.
package enum CSVText {
  /// Returns `text`, in quotes if it contains a separator, a quote or a line's end.
  package static func field(_ text: String) -> String {
    // By byte, because to Swift a carriage return with a line feed is one character that equals neither.
    guard text.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      quoted.unicodeScalars.append(scalar)
      if scalar == "\"" { quoted += "\"" }
    }
    return quoted + "\""
  }
}

/// Counts the samples of pictures on a device.
public final class HistogramReader: Sendable {
  private let device: Device
  private let queue: CommandQueue
  private let histogram: ImageHistogram

  /// Makes a reader with `entries` counts a channel, a power of two from 256 to 65536.
  public convenience init(device: Device, entries: Int) {
    self.init(device: device, info: HistogramInfo(entries: entries))
  }

  /// Makes a reader of histograms that `info` describes.
  public init(device: Device, info: HistogramInfo) {
    self.device = device
    queue = device.makeCommandQueue(label: "histograms")
    histogram = ImageHistogram(device: device, info: info)
  }

  /// Returns the histogram of `image`: of gray, or of red, green and blue; of alpha only if the info asks for it.
  public func histogram(of image: Image, label: String = "picture") async throws -> Histogram {
    let (buffer, histogram) = try count(image, label)
    try await buffer.completed()
    return try histogram()
  }

  /// Returns the histogram of `image`; blocks until it has arrived.
  func waitForHistogram(of image: Image, label: String) throws -> Histogram {
    let (buffer, histogram) = try count(image, label)
    try buffer.waitUntilCompleted()
    return try histogram()
  }

  /// Submits the counting of `image`; returns its buffer, and what reads the histogram once that is completed.
  private func count(_ image: Image, _ label: String) throws -> (CommandBuffer, () throws -> Histogram) {
    let source = try TiledTexture(device: device, size: image.size, pixelFormat: image.pixelFormat, label: label)
      .holding(image.descriptor)
    let length = histogram.info.histogramSize(forSourceFormat: image.pixelFormat)
    let counts = try device.makeBuffer(length: length, label: "histogram")
    let buffer = queue.makeCommandBuffer(label: label)
    source.encodeUpload(of: image, to: buffer)
    histogram.encode(to: buffer, source: source, histogram: counts)
    let readback = histogram.info.encodeReadback(to: buffer, histogram: counts, sourceFormat: image.pixelFormat)
    buffer.commit()
    let channels = image.channels
    return (buffer, { Self.named(try readback.contents(), channels) })
  }

  /// Leaves out what says nothing of a picture of `channels`: in gray with alpha the first three samples are equal, and
  /// in colors without alpha the last means nothing.
  private static func named(_ counted: Histogram, _ channels: Channels) -> Histogram {
    Histogram(
      counted.channels.enumerated().compactMap { plane, channel in
        let counts = counted.counts(channel)
        if channel == .alpha { return channels == .rgb ? nil : (channel, counts) }
        if channels == .grayAlpha { return plane == 0 ? (.gray, counts) : nil }
        return (channel, counts)
      })
  }
}

/// Pieces of JSON, compact and in the order written, so that equal reports are equal files.
enum JSONText {
  /// Returns `text` as a JSON string with its quotes, or null.
  static func string(_ text: String?) -> String {
    guard let text else { return "null" }
    var json = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": json += "\\\""
      case "\\": json += "\\\\"
      case "\n": json += "\\n"
      case "\r": json += "\\r"
      case "\t": json += "\\t"
      case _ where scalar.value < 0x20:
        let hex = String(scalar.value, radix: 16)
        json += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }

  /// Returns an array of `values`, which are JSON.
  static func array(_ values: [String]) -> String {
    "[" + values.joined(separator: ",") + "]"
  }

  /// Returns an object of `members`: names, and values that are JSON.
  static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { string($0.0) + ":" + $0.1 }.joined(separator: ",") + "}"
  }
}
