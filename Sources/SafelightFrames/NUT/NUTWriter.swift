package import SafelightImage

/// A stream of raw video for a pipe to ffmpeg.
///
/// It does no output itself: the caller writes what it returns, ``beginning`` first.
protocol RawVideoStream {
  /// The bytes before the first frame.
  var beginning: [UInt8] { get }

  /// Returns the bytes before the `byteCount` bytes of a frame shown at `time`.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if it is not shown after the previous frame, or between two ticks.
  mutating func frameBeginning(_ index: Int, at time: MediaTime, byteCount: Int) throws(SafelightError) -> [UInt8]
}

/// The times of frames, counted in ticks from the first.
struct FrameClock {
  let timeBase: MediaTime
  /// The time of the first frame, which is shown at 0.
  let start: MediaTime
  private var last = -1

  init(timeBase: MediaTime, start: MediaTime) { (self.timeBase, self.start) = (timeBase, start) }

  /// Returns the ticks until `time`, that of frame `index`.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if it does not follow the previous time, or lies between two ticks.
  mutating func ticks(_ index: Int, at time: MediaTime) throws(SafelightError) -> Int {
    guard let ticks = ticks(time), ticks > last else {
      throw SafelightError(
        .input, "frame \(index + 1)",
        why: "its time, \(time), is not at least one tick of \(timeBase) after that of the previous frame",
        remedy: "give each frame a later time than the one before")
    }
    last = ticks
    return ticks
  }

  private func ticks(_ time: MediaTime) -> Int? {
    // (time − start) / base, of which every part has at most 64 bits.
    let distance = Int128(time.value) * Int128(start.timescale) - Int128(start.value) * Int128(time.timescale)
    let clock = Int128(time.timescale) * Int128(start.timescale) * Int128(timeBase.value)
    let (scaled, overflow) = distance.multipliedReportingOverflow(by: Int128(timeBase.timescale))
    guard !overflow, scaled % clock == 0 else { return nil }
    return Int(exactly: scaled / clock)
  }
}

/// Writes a stream of raw video for a pipe to ffmpeg: NUT with one stream, and a syncpoint and a checksum before every
/// frame (NUT Open Container Format).
package struct NUTWriter: RawVideoStream {
  private let format: VideoFormat
  private var clock: FrameClock

  /// Makes a writer that counts times from `start`.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` for layouts that ffmpeg cannot read from NUT.
  package init(_ format: VideoFormat, start: MediaTime, name: String) throws(SafelightError) {
    try ensure(
      format.layout.fourCC != nil, .unsupported, name, why: "ffmpeg cannot read frames of \(format.layout) from a pipe",
      remedy: "convert them to separate planes, such as yCbCr420Planar8 or yCbCr420Planar10")
    self.format = format
    clock = FrameClock(timeBase: format.timeBase, start: start)
  }

  /// The bytes before the first frame.
  package var beginning: [UInt8] {
    var main = NUTBytes()
    // version, stream_count, max_distance, time_base_count, time base
    main.numbers(3, 1, 65536, 1, Int(format.timeBase.value), Int(format.timeBase.timescale))
    // The first code announces a frame whose header is complete; all others are invalid. Of the six fields, the first
    // is signed.
    for (flags, count) in [(NUTFrameFlags.coded, 1), (.invalid, 254)] {
      main.numbers(flags.rawValue, 6, 0, 1, 0, 0, 0, count)
    }
    main.numbers(0)  // elided headers

    var stream = NUTBytes()
    stream.numbers(0, 0)  // stream_id, class: video
    stream.data(format.fourCC ?? [])
    // time_base_id, msb_pts_shift, max_pts_distance, decode_delay, stream_flags
    stream.numbers(0, Self.shortTimeBits, 0, 0, 0)
    stream.data([])
    let aspect = format.pixelAspect
    // The last is colorspace_type.
    stream.numbers(format.size.width, format.size.height, aspect?.width ?? 0, aspect?.height ?? 0, 0)

    return NUTReader.identification + main.packet(0x4E4D_7A56_1F5F_04AD) + stream.packet(0x4E53_1140_5BF2_F9DB)
      + rate.packet(0x4E49_AB68_B596_BA78)
  }

  /// An info packet with the frame rate for encoders, as ffmpeg writes it.
  private var rate: NUTBytes {
    var info = NUTBytes()
    // stream_id_plus1, chapter_id (signed), chapter_start, chapter_len, count
    info.numbers(1, 0, 0, 0, format.frameDuration == nil ? 0 : 1)
    guard let duration = format.frameDuration else { return info }
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
    let ticks = try clock.ticks(index, at: time)
    var point = NUTBytes()
    point.numbers(ticks, 0)  // of one time base; back_ptr_div16
    var header = NUTBytes(bytes: [0])
    let flags: NUTFrameFlags = [.key, .codedTime, .size, .checksum]
    header.numbers(flags.rawValue, ticks + 1 << Self.shortTimeBits, byteCount)
    header.bytes.append(bigEndian: NUTChecksum.of(header.bytes[...]))
    return point.packet(0x4E4B_E4AD_EECA_4569) + header.bytes
  }

  private static let shortTimeBits = 7
}

/// The values of a NUT stream in their coding ("Syntax").
private struct NUTBytes {
  var bytes: [UInt8] = []

  /// v, several times.
  mutating func numbers(_ values: Int...) {
    for value in values {
      let groups = Swift.max(1, (Int.bitWidth - value.leadingZeroBitCount + 6) / 7)
      for group in (0..<groups).reversed() { bytes.append(UInt8(value >> (7 * group) & 0x7F) | (group > 0 ? 0x80 : 0)) }
    }
  }

  /// s.
  mutating func signed(_ value: Int) { numbers(value > 0 ? 2 * value - 1 : -2 * value) }

  /// vb.
  mutating func data(_ data: [UInt8]) {
    numbers(data.count)
    bytes += data
  }

  func packet(_ startcode: UInt64) -> [UInt8] {
    var packet = NUTBytes()
    packet.bytes.append(bigEndian: startcode)
    packet.numbers(bytes.count + 4)
    packet.bytes += bytes
    packet.bytes.append(bigEndian: NUTChecksum.of(bytes[...]))
    return packet.bytes
  }
}

extension VideoFormat {
  /// ffmpeg's four bytes for the pixels. Opaque alpha is left out, so that encoders do not store it.
  var fourCC: [UInt8]? {
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
