internal import SafelightImage
internal import SafelightKernels

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
