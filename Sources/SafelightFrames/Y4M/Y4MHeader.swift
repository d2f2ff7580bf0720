package import SafelightImage

/// The first line of a Y4M stream: `YUV4MPEG2 W640 H360 F30:1 Ip A1:1 C420jpeg XYSCSS=420JPEG` (yuv4mpeg(5)).
package struct Y4MHeader: Hashable {
  static let magic = "YUV4MPEG2"
  /// The most bytes of a line; longer ones are rejected.
  static let limit = 4096

  package var size: Size
  /// The duration of a frame; nil if `F` is missing or 0:0.
  package var frameDuration: MediaTime?
  package var pixelAspect: PixelAspect?
  package var colorSpace: Y4MColorSpace
  package var range: ColorRange
  /// True if pictures hold two moments (`It`, `Ib`), or some of them do (`Im`); nil if the header does not say.
  package var isInterlaced: Bool? = false

  /// The line with its end, in the form that ffmpeg writes, so that its own reader understands all of it.
  package var text: String {
    let rate = frameDuration.map { "\($0.timescale):\($0.value)" } ?? "0:0"
    var fields = [Self.magic, "W\(size.width)", "H\(size.height)", "F\(rate)", "Ip"]
    fields += ["A\(pixelAspect?.description ?? "0:0")", "C\(colorSpace.name)"]
    if colorSpace.layout.isYCbCr { fields.append("XYSCSS=\(colorSpace.name.uppercased())") }
    switch range {
    case .full: fields.append("XCOLORRANGE=FULL")
    case .limited: fields.append("XCOLORRANGE=LIMITED")
    case .unspecified: break
    }
    return fields.joined(separator: " ") + "\n"
  }

  /// Reads the line of the stream that messages call `name`.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if it is not such a line or contradicts itself, `unsupported` if
  ///   frames have no such planes.
  package init(_ line: String, name: String) throws(SafelightError) {
    var fields: [Character: Substring] = [:]
    var extensions: [Substring: Substring] = [:]
    for field in line.dropFirst(Self.magic.count).split(separator: " ") {
      guard let tag = field.first else { continue }
      if tag == "X" {
        let parts = field.dropFirst().split(separator: "=", maxSplits: 1)
        if parts.count == 2 { extensions[parts[0]] = parts[1] }
      } else if fields.updateValue(field.dropFirst(), forKey: tag) != nil {
        throw Self.refused(name, "its header names \(tag) twice")
      }
    }
    size = Size(
      try Self.count(fields["W"], "columns (W)", name: name), try Self.count(fields["H"], "rows (H)", name: name))
    // No picture has more bytes than can be counted.
    guard !size.width.multipliedReportingOverflow(by: size.height * 8).overflow else {
      throw Self.refused(name, "a picture of \(size) is larger than any memory")
    }
    if let rate = try Self.ratio(fields["F"], "rate (F)", name: name) {
      guard let duration = MediaTime(seconds: Int128(rate.1), over: Int128(rate.0)) else {
        throw Self.refused(name, "a rate of \(rate.0):\(rate.1) is out of range")
      }
      frameDuration = duration
    }
    pixelAspect = try Self.ratio(fields["A"], "aspect (A)", name: name).map { PixelAspect($0.0, $0.1) }
    isInterlaced = try Self.isInterlaced(fields["I"] ?? "?", name: name)
    // Without C, ffmpeg's extension names the chroma, and without that the default applies (yuv4mpeg(5)).
    let chroma = fields["C"].map(String.init) ?? extensions["YSCSS"]?.lowercased() ?? "420jpeg"
    colorSpace = try required(
      Y4MColorSpace(named: chroma), .unsupported, name,
      why: "its chroma is C\(chroma); supported are \(Y4MColorSpace.names)",
      remedy: "convert it with ffmpeg: -pix_fmt yuv444p, or yuv420p10le -strict -1")
    switch extensions["COLORRANGE"] {
    case "FULL": range = .full
    case "LIMITED": range = .limited
    default: range = .unspecified
    }
  }

  private static func refused(_ name: String, _ why: String) -> SafelightError {
    SafelightError(.input, name, why: why, remedy: "write it again: ffmpeg -i INPUT OUTPUT.y4m")
  }

  private static func count(_ text: Substring?, _ what: String, name: String) throws(SafelightError) -> Int {
    guard let text else { throw refused(name, "its header names no \(what)") }
    // GLES, like everything else, counts pixels in 31 bits.
    guard let count = Int32(text), count > 0, text.first?.isNumber == true else {
      throw refused(name, "\(text) \(what) are not the size of a picture")
    }
    return Int(count)
  }

  /// Reads two numbers above 0; nil if they are missing or 0:0, which means unknown.
  private static func ratio(_ text: Substring?, _ what: String, name: String) throws(SafelightError) -> (Int, Int)? {
    guard let text else { return nil }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int32($0) }
    if parts == [0, 0] { return nil }
    guard parts.count == 2, let first = parts[0], let second = parts[1], first > 0, second > 0 else {
      throw refused(name, "its \(what) is \(text) instead of two numbers such as 25:1")
    }
    return (Int(first), Int(second))
  }

  static func isInterlaced(_ text: Substring, name: String) throws(SafelightError) -> Bool? {
    switch text.first {
    case "p": return false
    case "?": return nil
    case "t", "b", "m": return true
    default: throw refused(name, "its interlacing is I\(text), an unknown code")
    }
  }
}

extension Y4MHeader {
  /// Makes the header of frames of `format`; throws a ``SafelightError`` of kind `unsupported` if Y4M cannot hold them.
  init(_ format: VideoFormat, grayBits: Int?, name: String) throws(SafelightError) {
    colorSpace = try required(
      Y4MColorSpace(format.layout, siting: format.color.siting, grayBits: grayBits), .unsupported, name,
      why: "Y4M has no \(grayBits.map { "gray of \($0) bits" } ?? format.layout.words)",
      remedy: "convert to luma and chroma in three planes, such as yCbCr444Planar8, or write another kind of film")
    guard let duration = format.frameDuration, duration > .zero, Int32(exactly: duration.value) != nil else {
      throw SafelightError(
        .unsupported, name, why: "Y4M shows each frame for the same time, and how long these frames last is unknown",
        remedy: "write a film of another kind, or set a frame rate", setting: .frameRate)
    }
    size = format.size
    frameDuration = duration
    pixelAspect = format.pixelAspect
    range = format.color.range
  }
}

/// The chroma of a Y4M stream, as its header names it: `420jpeg`, `444p12`, `mono16` (yuv4mpeg(5), and ffmpeg's
/// additions).
package struct Y4MColorSpace: Hashable {
  /// The name after `C`.
  package let name: String
  package let layout: PixelLayout
  package let siting: ChromaSiting
  let bits: Int

  /// The color spaces that frames have a layout for.
  private static let known: [Y4MColorSpace] = [
    Y4MColorSpace("420jpeg", .yCbCr420Planar8, .center), Y4MColorSpace("420mpeg2", .yCbCr420Planar8, .left),
    Y4MColorSpace("420paldv", .yCbCr420Planar8, .topLeft), Y4MColorSpace("420", .yCbCr420Planar8),
    Y4MColorSpace("422", .yCbCr422Planar8), Y4MColorSpace("444", .yCbCr444Planar8),
    Y4MColorSpace("420p10", .yCbCr420Planar10), Y4MColorSpace("422p10", .yCbCr422Planar10),
    Y4MColorSpace("444p10", .yCbCr444Planar10), Y4MColorSpace("420p12", .yCbCr420Planar12),
    Y4MColorSpace("422p12", .yCbCr422Planar12), Y4MColorSpace("444p12", .yCbCr444Planar12),
    Y4MColorSpace("420p16", .yCbCr420Planar16), Y4MColorSpace("422p16", .yCbCr422Planar16),
    Y4MColorSpace("444p16", .yCbCr444Planar16), Y4MColorSpace("mono", .gray8), Y4MColorSpace("mono16", .gray16),
    Y4MColorSpace("mono9", .gray16, bits: 9), Y4MColorSpace("mono10", .gray16, bits: 10),
    Y4MColorSpace("mono12", .gray16, bits: 12), Y4MColorSpace("mono14", .gray16, bits: 14),
  ]

  private init(_ name: String, _ layout: PixelLayout, _ siting: ChromaSiting = .unspecified, bits: Int? = nil) {
    self.name = name
    self.layout = layout
    self.siting = siting
    self.bits = bits ?? layout.bits
  }

  /// Finds the color space that a header names; nil if it is unknown, or frames have no layout for it.
  init?(named name: String) {
    guard let found = Self.known.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  /// Finds the color space for frames of `layout`; nil if Y4M has none. Gray of 16 bits may be stored in fewer.
  ///
  /// The siting matters only for 8 bits in 4:2:0: Y4M records it only there.
  init?(_ layout: PixelLayout, siting: ChromaSiting, grayBits: Int?) {
    let bits = layout == .gray16 ? grayBits ?? 16 : layout.bits
    let fitting = Self.known.filter { $0.layout == layout && $0.bits == bits }
    guard let found = fitting.first(where: { $0.siting == siting }) ?? fitting.last else { return nil }
    self = found
  }

  static var names: String { known.map(\.name).joined(separator: ", ") }
}
