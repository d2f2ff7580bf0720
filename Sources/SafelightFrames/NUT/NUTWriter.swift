package import SafelightImage

/// Writes a stream of raw video for a pipe to ffmpeg: NUT with one stream, and a syncpoint and a checksum before every
/// frame (NUT Open Container Format).
///
/// It does no output itself: the caller writes what it returns, ``beginning`` first.
package struct NUTWriter {
  private let format: VideoFormat
  /// The time of the first frame, which is shown at 0.
  private let start: MediaTime
  private var lastTicks = -1

  /// Makes a writer that counts times from `start`.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` for layouts that ffmpeg cannot read from NUT.
  package init(_ format: VideoFormat, start: MediaTime, name: String) throws(SafelightError) {
    guard format.layout.fourCC != nil else {
      throw SafelightError(
        .unsupported, name, why: "ffmpeg cannot read frames of \(format.layout) from a pipe",
        remedy: "convert them to separate planes, such as yCbCr420Planar8 or yCbCr420Planar10")
    }
    self.format = format
    self.start = start
  }

  /// The bytes before the first frame.
  package var beginning: [UInt8] {
    var main = NUTBytes()
    main.number(3)  // version
    main.number(1)  // stream_count
    main.number(65536)  // max_distance
    main.number(1)  // time_base_count
    main.number(Int(format.timeBase.value))
    main.number(Int(format.timeBase.timescale))
    // The first code announces a frame whose header is complete; all others are invalid.
    for (flags, count) in [(NUTFrameFlags.coded, 1), (.invalid, 254)] {
      main.number(flags.rawValue)
      main.number(6)
      main.signed(0)
      for value in [1, 0, 0, 0, count] { main.number(value) }
    }
    main.number(0)  // elided headers

    var stream = NUTBytes()
    for value in [0, 0] { stream.number(value) }  // stream_id, class: video
    stream.data(format.fourCC ?? [])
    // time_base_id, msb_pts_shift, max_pts_distance, decode_delay, stream_flags
    for value in [0, Self.shortTimeBits, 0, 0, 0] { stream.number(value) }
    stream.data([])
    stream.number(format.size.width)
    stream.number(format.size.height)
    stream.number(format.pixelAspect?.width ?? 0)
    stream.number(format.pixelAspect?.height ?? 0)
    stream.number(0)  // colorspace_type

    return NUTBytes.identification + main.packet(0x4E4D_7A56_1F5F_04AD) + stream.packet(0x4E53_1140_5BF2_F9DB)
      + rate.packet(0x4E49_AB68_B596_BA78)
  }

  /// An info packet with the frame rate for encoders, as ffmpeg writes it.
  private var rate: NUTBytes {
    var info = NUTBytes()
    info.number(1)  // stream_id_plus1
    info.signed(0)
    for value in [0, 0] { info.number(value) }
    guard let duration = format.frameDuration else {
      info.number(0)
      return info
    }
    info.number(1)
    info.data(Array("r_frame_rate".utf8))
    info.signed(-1)  // a text
    info.data(Array("\(duration.timescale)/\(duration.value)".utf8))
    return info
  }

  /// Returns the bytes before the `byteCount` bytes of a frame shown at `time`.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if it is not shown after the previous frame, or between two ticks.
  package mutating func frameBeginning(
    _ index: Int, at time: MediaTime, byteCount: Int
  ) throws(SafelightError) -> [UInt8] {
    guard let ticks = ticks(time), ticks > lastTicks else {
      throw SafelightError(
        .input, "frame \(index + 1)",
        why: "its time, \(time), is not at least one tick of \(format.timeBase) after that of the previous frame",
        remedy: "give each frame a later time than the one before")
    }
    lastTicks = ticks
    var point = NUTBytes()
    point.number(ticks)  // one time base
    point.number(0)  // back_ptr_div16
    var header = NUTBytes(bytes: [0])
    let flags: NUTFrameFlags = [.key, .codedTime, .size, .checksum]
    header.number(flags.rawValue)
    header.number(ticks + 1 << Self.shortTimeBits)
    header.number(byteCount)
    header.word(NUTChecksum.of(header.bytes[...]))
    return point.packet(0x4E4B_E4AD_EECA_4569) + header.bytes
  }

  private static let shortTimeBits = 7

  private func ticks(_ time: MediaTime) -> Int? {
    let base = format.timeBase
    // (time − start) / base, of which every part has at most 64 bits.
    let distance = Int128(time.value) * Int128(start.timescale) - Int128(start.value) * Int128(time.timescale)
    let clock = Int128(time.timescale) * Int128(start.timescale) * Int128(base.value)
    let (scaled, overflow) = distance.multipliedReportingOverflow(by: Int128(base.timescale))
    guard !overflow, scaled % clock == 0 else { return nil }
    return Int(exactly: scaled / clock)
  }
}

/// The values of a NUT stream in their coding ("Syntax").
private struct NUTBytes {
  static let identification = Array("nut/multimedia container\0".utf8)
  var bytes: [UInt8] = []

  /// v.
  mutating func number(_ value: Int) {
    let groups = Swift.max(1, (Int.bitWidth - value.leadingZeroBitCount + 6) / 7)
    for group in (0..<groups).reversed() { bytes.append(UInt8(value >> (7 * group) & 0x7F) | (group > 0 ? 0x80 : 0)) }
  }

  /// s.
  mutating func signed(_ value: Int) { number(value > 0 ? 2 * value - 1 : -2 * value) }

  /// u(32).
  mutating func word(_ value: UInt32) {
    for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(shift))) }
  }

  /// vb.
  mutating func data(_ data: [UInt8]) {
    number(data.count)
    bytes += data
  }

  func packet(_ startcode: UInt64) -> [UInt8] {
    var packet = NUTBytes()
    packet.word(UInt32(truncatingIfNeeded: startcode >> 32))
    packet.word(UInt32(truncatingIfNeeded: startcode))
    packet.number(bytes.count + 4)
    packet.bytes += bytes
    packet.word(NUTChecksum.of(bytes[...]))
    return packet.bytes
  }
}

extension VideoFormat {
  /// ffmpeg's four bytes for the pixels. Opaque alpha is left out, so that encoders do not store it.
  fileprivate var fourCC: [UInt8]? {
    guard color.alpha == .opaque else { return layout.fourCC }
    return switch layout {
    case .rgba8: Array("RGB\0".utf8)
    case .bgra8: Array("BGR\0".utf8)
    default: layout.fourCC
    }
  }
}

extension PixelLayout {
  /// ffmpeg's four bytes for the layout in NUT; nil if it has none.
  package var fourCC: [UInt8]? {
    switch self {
    case .gray8: Array("Y800".utf8)
    case .gray16: [0x59, 0x31, 0, 16]
    case .rgba8: Array("RGBA".utf8)
    case .bgra8: Array("BGRA".utf8)
    case .rgba16: Array("RBA@".utf8)
    case .yCbCr420BiPlanar8: Array("NV12".utf8)
    case .yCbCr420Planar8: Array("I420".utf8)
    case .yCbCr422Planar8: Array("Y42B".utf8)
    case .yCbCr444Planar8: Array("444P".utf8)
    default:
      // Y3, the halvings of chroma's width and height, and the bits.
      yCbCr.flatMap { planes in
        guard !planes.isBiPlanar else { return nil }
        let halvings: UInt8 = [.yCbCr420: 11, .yCbCr422: 10][planes.subsampling] ?? 0
        return [0x59, 0x33, halvings, UInt8(planes.bits)]
      }
    }
  }
}
