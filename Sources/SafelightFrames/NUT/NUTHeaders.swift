package import SafelightImage

/// The main header of a NUT stream (NUT Open Container Format, "main_header").
struct NUTMainHeader: Hashable {
  /// The meaning of a frame's first byte.
  struct FrameCode: Hashable {
    var flags: NUTFrameFlags
    var stream = 0
    var sizeFactor = 1
    var size = 0
    var timeDelta = 0
    var reservedCount = 0
    var headerIndex = 0
  }

  /// The ticks of its clocks.
  private(set) var timeBases: [MediaTime] = []
  private(set) var frameCodes: [FrameCode] = []
  /// Common beginnings that frames leave out; the first is empty.
  private(set) var elisions: [[UInt8]] = [[]]

  init(_ cursor: inout NUTCursor) throws(NUTFault) {
    let version = try cursor.number()
    guard version == 3 else { throw .damaged("version \(version) of NUT is not known, only 3") }
    let streams = try cursor.number()
    guard streams == 1 else { throw .damaged("\(streams) streams were sent; one was asked for") }
    _ = try cursor.number()  // max_distance: how far syncpoints are apart
    let timeBaseCount = try cursor.count("time bases", atMost: 16)
    guard timeBaseCount > 0 else { throw .damaged("there is no time base") }
    for _ in 0..<timeBaseCount {
      let (numerator, denominator) = (try cursor.number(), try cursor.number())
      guard (1...Int(Int32.max)).contains(numerator), (1...Int(Int32.max)).contains(denominator) else {
        throw .damaged("\(numerator)/\(denominator) s is not a time base")
      }
      timeBases.append(MediaTime(value: Int64(numerator), timescale: Int32(denominator)))
    }
    try readFrameCodes(&cursor)
    for _ in 0..<(try cursor.count("elided headers", atMost: 127)) {
      elisions.append(Array(try cursor.data(atMost: 255)))
    }
  }

  private mutating func readFrameCodes(_ cursor: inout NUTCursor) throws(NUTFault) {
    var (timeDelta, factor, stream, headerIndex) = (0, 1, 0, 0)
    while frameCodes.count < 256 {
      let flags = NUTFrameFlags(rawValue: try cursor.number())
      let fields = try cursor.count("fields of a frame code", atMost: 256)
      if fields > 0 { timeDelta = try cursor.signed() }
      if fields > 1 { factor = try cursor.count("bytes", atMost: 1 << 14) }
      if fields > 2 { stream = try cursor.number() }
      let size = fields > 3 ? try cursor.count("bytes", atMost: 1 << 14) : 0
      let reserved = fields > 4 ? try cursor.count("reserved values", atMost: 256) : 0
      var count = fields > 5 ? try cursor.count("frame codes", atMost: 256) : factor - size
      if fields > 6 { _ = try cursor.signed() }  // match_time_delta
      if fields > 7 { headerIndex = try cursor.number() }
      for _ in 8..<max(8, fields) { _ = try cursor.number() }
      guard count > 0 else { throw .damaged("a run of \(count) frame codes") }
      var offset = 0
      while count > 0 && frameCodes.count < 256 {
        // The startcodes' first byte never begins a frame.
        if frameCodes.count == UInt8(ascii: "N") {
          frameCodes.append(FrameCode(flags: .invalid))
          continue
        }
        frameCodes.append(
          FrameCode(
            flags: flags, stream: stream, sizeFactor: factor, size: size + offset, timeDelta: timeDelta,
            reservedCount: reserved, headerIndex: headerIndex))
        offset += 1
        count -= 1
      }
      guard count == 0 else { throw .damaged("more than 256 frame codes") }
    }
  }
}

/// The contents of a frame's header ("frame_flags").
struct NUTFrameFlags: OptionSet, Hashable {
  let rawValue: Int

  static let key = NUTFrameFlags(rawValue: 1 << 0)
  static let endOfRelevance = NUTFrameFlags(rawValue: 1 << 1)
  static let codedTime = NUTFrameFlags(rawValue: 1 << 3)
  static let stream = NUTFrameFlags(rawValue: 1 << 4)
  static let size = NUTFrameFlags(rawValue: 1 << 5)
  static let checksum = NUTFrameFlags(rawValue: 1 << 6)
  static let reserved = NUTFrameFlags(rawValue: 1 << 7)
  static let sideData = NUTFrameFlags(rawValue: 1 << 8)
  static let headerIndex = NUTFrameFlags(rawValue: 1 << 10)
  static let matchTime = NUTFrameFlags(rawValue: 1 << 11)
  static let coded = NUTFrameFlags(rawValue: 1 << 12)
  static let invalid = NUTFrameFlags(rawValue: 1 << 13)
}

/// The header of the only video stream ("stream_header").
package struct NUTStreamHeader: Hashable {
  /// Four bytes that name the layout of the samples, such as `BGRA`.
  package let fourCC: [UInt8]
  let timeBase: MediaTime
  /// The number of low bits of a presentation time that are written if the higher ones follow from the last.
  let shortTimeBits: Int
  package let size: Size

  init(_ cursor: inout NUTCursor, main: NUTMainHeader) throws(NUTFault) {
    guard try cursor.number() == 0, try cursor.number() == 0 else { throw .damaged("the stream is not video") }
    self.fourCC = Array(try cursor.data(atMost: 4))
    let timeBase = try cursor.number()
    guard main.timeBases.indices.contains(timeBase) else { throw .damaged("there is no time base \(timeBase)") }
    self.timeBase = main.timeBases[timeBase]
    self.shortTimeBits = try cursor.count("bits of a time", atMost: 16)
    for _ in 0..<3 { _ = try cursor.number() }  // max_pts_distance, decode_delay, stream_flags
    _ = try cursor.data(atMost: 1 << 20)  // codec_specific_data
    self.size = Size(
      try cursor.count("columns", atMost: Int(Int32.max)), try cursor.count("rows", atMost: Int(Int32.max)))
    guard !size.isEmpty else { throw .damaged("\(size) has no pixels") }
  }
}
