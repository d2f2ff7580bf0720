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
