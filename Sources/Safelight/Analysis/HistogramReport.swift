public import SafelightImage

/// The histograms of a sequence for other programs: JSON or CSV.
///
/// A long sequence need not be held: write ``jsonOpening``, the ``Frame/json`` of each frame with a comma between two,
/// and ``jsonClosing``; or ``csvHeader`` and each frame's ``Frame/csv``.
public struct HistogramReport: Hashable, Sendable {
  /// The histograms of one frame.
  public struct Frame: Hashable, Sendable {
    /// The place in the sequence, from 0.
    public let index: Int
    /// The file's name, as the user gave it.
    public let file: String
    /// Columns and rows of the picture.
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
      JSONText.object([
        ("index", String(index)),
        ("file", JSONText.string(file)),
        ("width", String(size.width)),
        ("height", String(size.height)),
        ("depth", String(depth.rawValue)),
        ("entries", String(series.first?.counts.count ?? 0)),
        (
          "channels",
          JSONText.object(series.map { ($0.channel.rawValue, JSONText.array($0.counts.map { String($0) })) })
        ),
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

  /// In the order of the sequence.
  public var frames: [Frame]

  /// Makes a report.
  public init(_ frames: [Frame]) { self.frames = frames }

  /// What stands before the first frame in JSON.
  public static let jsonOpening = "{\"frames\":["
  /// What stands after the last frame in JSON, the final line feed included.
  public static let jsonClosing = "]}\n"
  /// The first line of CSV, the line feed included.
  public static let csvHeader = "frame,file,channel,bin,count\n"

  /// The report as one line of JSON: `{"frames":[{"index":0,"file":"a.png",…,"channels":{"red":[…]}}]}`.
  public var json: String { Self.jsonOpening + frames.map(\.json).joined(separator: ",") + Self.jsonClosing }

  /// The report as CSV: quoted as RFC 4180 has it, lines ended by a line feed as Unix tools want them.
  public var csv: String { Self.csvHeader + frames.map(\.csv).joined() }
}

/// Fields of CSV as RFC 4180 quotes them.
package enum CSVText {
  /// `text`, in quotes where it holds a separator, a quote or a line's end.
  package static func field(_ text: String) -> String {
    // By byte: to Swift, a carriage return and a line feed together are one character that equals neither.
    guard text.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      quoted.unicodeScalars.append(scalar)
      if scalar == "\"" { quoted += "\"" }
    }
    return quoted + "\""
  }
}
