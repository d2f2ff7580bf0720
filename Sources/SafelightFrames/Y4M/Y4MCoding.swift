import SafelightImage

/// A Y4M stream: its header, and `FRAME` before each frame.
struct Y4MCoding: StreamCoding {
  let header: Y4MHeader
  let format: VideoFormat

  /// `frameDuration` stands in for a rate that the header leaves open.
  init(_ header: Y4MHeader, frameDuration: MediaTime?, name: String) throws(SafelightError) {
    guard let duration = header.frameDuration ?? frameDuration else {
      throw SafelightError(
        .input, name, why: "its header does not say how many frames are shown a second (F)",
        remedy: "say it, such as 25", setting: .frameRate)
    }
    self.header = header
    let layout = header.colorSpace.layout
    self.format = VideoFormat(
      size: header.size, layout: layout, timeBase: MediaTime(value: 1, timescale: duration.timescale),
      frameDuration: duration,
      color: ColorDescription(
        matrix: layout.isYCbCr ? .unspecified : .identity, range: header.range, siting: header.colorSpace.siting),
      pixelAspect: header.pixelAspect)
  }

  /// A coding for writing frames of `format`.
  init(_ format: VideoFormat, grayBits: Int?, name: String) throws(SafelightError) {
    header = try Y4MHeader(format, grayBits: grayBits, name: name)
    self.format = format
  }

  var samples: StoredSamples {
    let (space, isLimited) = (header.colorSpace, header.range == .limited)
    return space.layout == .gray16 && space.bits < 16 ? .gray(bits: space.bits, isLimited: isLimited) : .same
  }

  var beginning: [UInt8] { Array(header.text.utf8) }
  var frameBeginning: [UInt8] { Array("FRAME\n".utf8) }

  func readFrameBeginning(_ index: Int, from input: ByteInput) throws(SafelightError) -> Bool {
    guard let (line, isWhole) = try input.line(atMost: Y4MHeader.limit) else { return false }
    func refused(_ why: String) -> SafelightError {
      SafelightError(
        .input, input.name, why: why, remedy: "have it written again; \(Self.whole(index))")
    }
    let mark = Array("FRAME".utf8)
    let isMarked = line.starts(with: mark) && (line.count == mark.count || line[mark.count] == UInt8(ascii: " "))
    if !isWhole {
      throw refused(
        isMarked || mark.starts(with: line)
          ? "the line before frame \(index + 1) has no end: \(line.count) bytes came" : Self.notAFrame(index, line))
    }
    guard isMarked else { throw refused(Self.notAFrame(index, line)) }
    let fields = String(decoding: line.dropFirst(mark.count), as: UTF8.self).split(separator: " ")
    // A frame's own interlacing begins with 1 where it holds one moment (yuv4mpeg(5)).
    if let interlacing = fields.first(where: { $0.first == "I" })?.dropFirst(), interlacing.first != "1" {
      try Y4MHeader.checkInterlacing(interlacing.lowercased()[...], name: "\(input.name), frame \(index + 1)")
    }
    return true
  }

  private static func notAFrame(_ index: Int, _ line: [UInt8]) -> String {
    let begun = line.prefix(8).map { (0x20...0x7E).contains($0) ? String(UnicodeScalar($0)) : "·" }.joined()
    return
      "frame \(index + 1) begins with \"\(begun)\", and not with FRAME: the one before is longer or shorter than the header says"
  }
}
