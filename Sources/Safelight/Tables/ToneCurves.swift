internal import SafelightImage
internal import SafelightKernels

/// Curves of a picture: one for all channels, and one for each, which comes first.
package struct ToneCurves: Hashable, Sendable {
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

  /// True where red, green and blue have different ones.
  var makesColors: Bool { !(red == green && green == blue) }

  /// The tables, rounded once.
  func tables(_ depth: SampleDepth) -> ChannelTables {
    func table(_ curve: ToneCurve) -> SampleTable {
      SampleTable(quantizing: { all.output(min(max(curve.output($0), 0), 1)) }, depth: depth)
    }
    return ChannelTables(red: table(red), green: table(green), blue: table(blue))
  }
}

extension ToneCurve {
  /// Reads points as they are written in a chain, `0/0 0.5/0.6 1/1`; `subject` names them in errors.
  package init(points text: String, of subject: String) throws(SafelightError) {
    var points: [Point] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      let parts = word.split(separator: "/", omittingEmptySubsequences: false).map { DecimalText.number($0) }
      guard parts.count == 2, let input = parts[0], let output = parts[1] else {
        throw SafelightError(
          .usage, subject, why: "'\(word)' is no point",
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
  /// Reads Photoshop's file of curves (.acv): big-endian words of 16 bits, the version, the number of curves, and of each the number of
  /// points and those, output before input, from 0 to 255. The first is that of all channels; then come red, green and blue.
  ///
  /// Throws an error of kind `input` that names the byte.
  ///
  /// Source: Adobe Photoshop File Formats Specification, *Curves*. What follows the curves (a block `Crv `) says the same again.
  init(readingACV path: String) throws {
    var reader = ACVReader(bytes: try InlineFile.read(path, limit: 1 << 16), name: InlineFile.name(path))
    let version = try reader.word("version")
    guard version == 1 || version == 4 else {
      throw reader.fault(
        "its version is \(version), not 1 or 4", "name a file of curves that Photoshop saved (.acv)", at: 0)
    }
    let count = try reader.word("number of curves")
    guard (1...19).contains(count) else {
      throw reader.fault("it has \(count) curves; there are 1 to 19", "save the curves of an RGB picture anew", at: 2)
    }
    var curves: [ToneCurve] = []
    for number in 1...count {
      let start = reader.position
      curves.append(try reader.curve(number))
      if number > 4, curves[number - 1] != .identity {
        throw reader.fault(
          "curve \(number) is for a channel beside red, green and blue", "save the curves of an RGB picture", at: start)
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

  init(bytes: [UInt8], name: String) {
    self.bytes = bytes
    self.name = name
  }

  func fault(_ why: String, _ remedy: String, at byte: Int) -> SafelightError {
    SafelightError(.input, "\(name), byte \(byte)", why: why, remedy: remedy)
  }

  mutating func word(_ what: String) throws(SafelightError) -> Int {
    guard position + 2 <= bytes.count else {
      throw fault("it ends in its \(what)", "copy the file anew", at: bytes.count)
    }
    defer { position += 2 }
    return Int(bytes[position]) << 8 | Int(bytes[position + 1])
  }

  mutating func curve(_ number: Int) throws(SafelightError) -> ToneCurve {
    let remedy = "save the curves of an RGB picture anew"
    let start = position
    let count = try word("number of points of curve \(number)")
    guard (2...19).contains(count) else {
      throw fault("curve \(number) has \(count) points; it needs 2 to 19", remedy, at: start)
    }
    var points: [ToneCurve.Point] = []
    for place in 1...count {
      let output = try word("point \(place) of curve \(number)")
      let input = try word("point \(place) of curve \(number)")
      guard output <= 255, input <= 255 else {
        throw fault(
          "point \(place) of curve \(number) is \(input)/\(output); both lie from 0 to 255", remedy, at: position - 4)
      }
      points.append(ToneCurve.Point(Double(input) / 255, Double(output) / 255))
    }
    if let found = ToneCurve.fault(in: points) { throw fault("curve \(number): \(found)", remedy, at: start) }
    return ToneCurve(points)
  }
}

/// Straight lines between entries at equal distances: what a `.cube` file of one dimension has for each channel.
package struct ChannelCurves: Hashable, Sendable {
  /// Red, green and blue of each entry.
  package let samples: [Double]
  let domainMin: SIMD3<Double>
  let domainMax: SIMD3<Double>

  /// True where red, green and blue have different ones.
  package var makesColors: Bool {
    func isGray(_ color: SIMD3<Double>) -> Bool { color.x == color.y && color.y == color.z }
    guard isGray(domainMin), isGray(domainMax) else { return true }
    return stride(from: 0, to: samples.count, by: 3).contains { !isGray(SIMD3(samples[$0..<$0 + 3])) }
  }

  package func tables(_ depth: SampleDepth) -> ChannelTables {
    func table(_ channel: Int) -> SampleTable { SampleTable(quantizing: { output($0, channel) }, depth: depth) }
    return ChannelTables(red: table(0), green: table(1), blue: table(2))
  }

  /// What becomes of `value`; at the ends of the domain it stays that of the ends.
  private func output(_ value: Double, _ channel: Int) -> Double {
    let last = samples.count / 3 - 1
    let place = (value - domainMin[channel]) / (domainMax[channel] - domainMin[channel])
    let position = min(max(place, 0), 1) * Double(last)
    let entry = min(Int(position), last - 1)
    let part = position - Double(entry)
    return samples[3 * entry + channel] * (1 - part) + samples[3 * (entry + 1) + channel] * part
  }
}
