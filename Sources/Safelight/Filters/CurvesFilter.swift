internal import SafelightImage
internal import SafelightKernels

/// `curves`: ``ToneCurves`` from points or from a file.
struct CurvesFilter: PassKernel {
  var points = line
  var red = line
  var green = line
  var blue = line
  /// The path of a file instead of points; empty for none.
  var file = ""
  /// The curves through the points, or those of the file; nil until ``prepared()`` has read them.
  private var curves: ToneCurves?

  private static let line = "0/0 1/1"

  static let card = KernelCard<Self>(
    "curves", "bends values along curves through points, or along those of a Photoshop file",
    discussion: """
      Points are written as input/output, both from 0 to 1, separated by spaces; a curve has 2 or more, whose inputs rise
      by 1/65536 or more. Between points it is a cubic that turns only where the points do (Fritsch and Carlson 1980);
      before the first and after the last it is level. With h the distance of two points, m their slopes and
      t = (x - x0) / h:

          y = (2t^3 - 3t^2 + 1) * y0 + (t^3 - 2t^2 + t) * h * m0 + (3t^2 - 2t^3) * y1 + (t^3 - t^2) * h * m1

      A channel's own curve comes first, then that of all channels, as in GIMP and ffmpeg, without rounding in between;
      at the end out = floor(y * maximum + 1/2). A file (.acv) holds the curve of all channels, then those of red, green
      and blue, with points from 0 to 255 that become 0 to 1; it is given without points. Photoshop draws other cubics
      through the same points, which may overshoot. Alpha stays. Gray pictures refuse curves of single channels.
      """,
    [
      .text("points", "the curve of all channels", \.points, form: form), .text("red", "red's own", \.red, form: form),
      .text("green", "green's own", \.green, form: form), .text("blue", "blue's own", \.blue, form: form),
      .file("file", "curves from a file instead", \.file, form: "an .acv file", isRequired: false),
    ],
    examples: [
      "curves=0/0 0.25/0.15 0.75/0.9 1/1",
      "curves=red=0/0.07 1/0.93:blue=0/0 0.5/0.4 0.6/0.8 1/1:points=0/0 0.3/0.5 1/1",
      "curves=file='data:;base64,AAQAAgADAAAAAABAAIAA/wD/AAIAEAAAAPAA/w=='",
    ])

  private static let form = "points as input/output from 0 to 1, such as 0/0 0.5/0.6 1/1"

  static let formats = PixelFormat.pointFormats

  func prepared() throws -> Self {
    var filter = self
    filter.curves = try stated()
    return filter
  }

  func check(_ image: ImageDescriptor) throws(SafelightError) {
    try image.refuseGray(for: Self.card.name, if: curves?.makesColors == true)
  }

  func passes(for picture: PassPicture) -> [Pass] {
    guard let curves else { trap("curves was asked for its passes before it read its points; call prepared()") }
    return [.lookUp(in: curves, picture.pixelFormat)]
  }

  private func stated() throws -> ToneCurves {
    let texts = [("points", points), ("red", red), ("green", green), ("blue", blue)]
    guard !file.isEmpty else {
      let curves = try texts.map { try ToneCurve(points: $1, of: "curves=\($0)=\($1)") }
      return ToneCurves(all: curves[0], red: curves[1], green: curves[2], blue: curves[3])
    }
    if let given = texts.first(where: { $1 != Self.line }) {
      throw SafelightError(
        .usage, "curves=file=\(file):\(given.0)=\(given.1)", why: "curves come from a file or from points, not both",
        remedy: "leave out \(given.0) or file, or write two curves filters, one after the other")
    }
    return try ToneCurves(readingACV: file)
  }
}

/// The curves of a picture: one for each channel, applied first, and one for all.
package struct ToneCurves: ChannelTableSource {
  package var all = ToneCurve.identity
  package var red = ToneCurve.identity
  var green = ToneCurve.identity
  package var blue = ToneCurve.identity

  package init(
    all: ToneCurve = .identity, red: ToneCurve = .identity, green: ToneCurve = .identity, blue: ToneCurve = .identity
  ) {
    self.all = all
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// True if red, green and blue have different curves.
  var makesColors: Bool { !(red == green && green == blue) }

  /// Returns the tables, rounded once.
  package func tables(_ depth: SampleDepth) -> ChannelTables {
    func table(_ curve: ToneCurve) -> SampleTable {
      SampleTable(quantizing: { all.output(min(max(curve.output($0), 0), 1)) }, depth: depth)
    }
    return ChannelTables(red: table(red), green: table(green), blue: table(blue))
  }
}

extension ToneCurve {
  /// Reads points such as `0/0 0.5/0.6 1/1`; `subject` names them in errors.
  package init(points text: String, of subject: String) throws(SafelightError) {
    var points: [Point] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      let parts = word.split(separator: "/", omittingEmptySubsequences: false).map { DecimalText.number($0) }
      guard parts.count == 2, let input = parts[0], let output = parts[1] else {
        throw SafelightError(
          .usage, subject, why: "'\(word)' is not a point",
          remedy: "write points as input/output from 0 to 1, such as 0/0 0.5/0.6 1/1")
      }
      points.append(Point(input, output))
    }
    if let fault = ToneCurve.fault(in: points) {
      throw SafelightError(
        .usage, subject, why: fault, remedy: "write two points or more with rising inputs, such as 0/0 0.5/0.6 1/1")
    }
    self.init(points)
  }
}

extension ToneCurves {
  /// Reads Photoshop's file of curves (.acv): big-endian words of 16 bits for the version, the number of curves, and
  /// for each curve the number of points and the points, output before input, from 0 to 255. The first curve is for all
  /// channels; then come red, green and blue.
  ///
  /// - Throws: ``SafelightError`` of kind `input` that names the byte.
  ///
  /// Source: Adobe Photoshop File Formats Specification, *Curves*. The block `Crv ` after the curves repeats them.
  init(readingACV path: String) throws {
    var reader = ACVReader(bytes: try InlineFile.read(path, limit: 1 << 16), name: InlineFile.name(path))
    let version = try reader.word("version")
    guard version == 1 || version == 4 else {
      throw reader.fault(
        "its version is \(version), not 1 or 4", "name a file of curves that Photoshop saved (.acv)", at: 0)
    }
    let count = try reader.word("number of curves")
    guard (1...19).contains(count) else { throw reader.fault("it has \(count) curves; 1 to 19 are allowed", at: 2) }
    var curves: [ToneCurve] = []
    for number in 1...count {
      let start = reader.position
      curves.append(try reader.curve(number))
      if number > 4, curves[number - 1] != .identity {
        throw reader.fault(
          "curve \(number) is for a channel other than red, green and blue", "save the curves of an RGB picture",
          at: start)
      }
    }
    curves += Array(repeating: .identity, count: 4)
    self.init(all: curves[0], red: curves[1], green: curves[2], blue: curves[3])
  }
}

private struct ACVReader {
  let bytes: [UInt8]
  let name: String
  private(set) var position = 0

  func fault(
    _ why: String, _ remedy: String = "save the curves of an RGB picture again", at byte: Int
  ) -> SafelightError { SafelightError(.input, "\(name), byte \(byte)", why: why, remedy: remedy) }

  mutating func word(_ what: String) throws(SafelightError) -> Int {
    guard position + 2 <= bytes.count else {
      throw fault("it ends in its \(what)", "copy the file anew", at: bytes.count)
    }
    defer { position += 2 }
    return Int(bytes[position]) << 8 | Int(bytes[position + 1])
  }

  mutating func curve(_ number: Int) throws(SafelightError) -> ToneCurve {
    let start = position
    let count = try word("number of points of curve \(number)")
    guard (2...19).contains(count) else {
      throw fault("curve \(number) has \(count) points; it needs 2 to 19", at: start)
    }
    var points: [ToneCurve.Point] = []
    for place in 1...count {
      let output = try word("point \(place) of curve \(number)")
      let input = try word("point \(place) of curve \(number)")
      guard output <= 255, input <= 255 else {
        throw fault(
          "point \(place) of curve \(number) is \(input)/\(output); both must be from 0 to 255", at: position - 4)
      }
      points.append(ToneCurve.Point(Double(input) / 255, Double(output) / 255))
    }
    if let found = ToneCurve.fault(in: points) { throw fault("curve \(number): \(found)", at: start) }
    return ToneCurve(points)
  }
}
