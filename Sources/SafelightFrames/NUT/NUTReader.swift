package import SafelightImage

/// Reads a stream of raw video as it arrives, in the container NUT as `ffmpeg -f nut` writes it.
///
/// NUT carries every frame's presentation time as a whole number of ticks, so that nothing is rounded on the way
/// through a pipe, and each header has a checksum. The reader is strict: it accepts one video stream, and anything
/// unexpected is an error. It does no input itself: ``append(_:)`` what has arrived, then call ``nextFrame()`` and,
/// within a frame, ``takeData()``; nil or an empty slice means that more bytes are needed.
package struct NUTReader {
  /// The most bytes of a header; real ones have a few hundred.
  private static let headerLimit = 1 << 20
  static let identification = Array("nut/multimedia container\0".utf8)

  private var bytes: [UInt8] = []
  private var position = 0
  private var isIdentified = false
  private var main: NUTMainHeader?
  /// The video stream; nil until its header has arrived.
  package private(set) var stream: NUTStreamHeader?
  private var lastTime = 0
  /// The bytes of the current frame still to be taken; 0 between frames.
  package private(set) var missingData = 0
  private var elided: [UInt8] = []

  package init() {}

  package mutating func append(_ more: some Collection<UInt8>) {
    bytes.removeSubrange(..<position)
    position = 0
    bytes += more
  }

  /// True if the stream may end here: after its headers, between two frames.
  package var mayEnd: Bool { stream != nil && missingData == 0 && position == bytes.count }

  /// Returns the next bytes of the current frame's data, as far as they have arrived.
  package mutating func takeData() -> ArraySlice<UInt8> {
    guard elided.isEmpty else {
      defer { elided = [] }
      missingData -= elided.count
      return elided[...]
    }
    let end = position + min(missingData, bytes.count - position)
    defer {
      missingData -= end - position
      position = end
    }
    return bytes[position..<end]
  }

  /// Reads the header of the next frame and returns its time; nil if more bytes are needed. The length of its data is
  /// then ``missingData``; the data of the previous frame must have been taken.
  package mutating func nextFrame() throws(NUTFault) -> MediaTime? {
    trap(unless: missingData == 0, "\(missingData) bytes of the previous frame are left; take them first")
    do {
      while true {
        let done = position
        if let time = try nextItem() { return time }
        trap(unless: position > done, "an item of a stream must have a length above 0")
      }
    } catch .short {
      guard bytes.count - position <= Self.headerLimit + 64 else { throw .damaged("a header has no end") }
      return nil
    }
  }

  /// Reads one packet, or the header of a frame. Throws `short` with nothing consumed.
  private mutating func nextItem() throws(NUTFault) -> MediaTime? {
    guard isIdentified else {
      try identify()
      return nil
    }
    guard position < bytes.count else { throw .short }
    if bytes[position] == UInt8(ascii: "N") {
      try readPacket()
      return nil
    }
    return try readFrameHeader()
  }

  private mutating func identify() throws(NUTFault) {
    let there = bytes[position...].prefix(Self.identification.count)
    guard Self.identification.starts(with: there) else { throw .damaged("it does not begin with the signature of NUT") }
    guard there.count == Self.identification.count else { throw .short }
    position += there.count
    isIdentified = true
  }

  /// Reads a packet: startcode, length, its own checksum if it is long, contents, checksum ("packet_header").
  private mutating func readPacket() throws(NUTFault) {
    var cursor = NUTCursor(bytes[position...])
    let startcode = try cursor.startcode()
    let length = try cursor.count("bytes of a header", atMost: Self.headerLimit)
    if length > 4096 {
      let checksum = NUTChecksum.of(bytes[position..<cursor.position])
      guard try cursor.word() == checksum else { throw .damaged("the checksum of a header's length is wrong") }
    }
    guard length >= 4 else { throw .damaged("a header of \(length) bytes has no room for its checksum") }
    let end = cursor.position + length
    guard end <= bytes.count else { throw .short }
    // The checksum over data and their checksum is 0.
    guard NUTChecksum.of(bytes[cursor.position..<end]) == 0 else { throw .damaged("the checksum of a header is wrong") }
    do {
      try read(startcode, bytes[cursor.position..<end - 4])
    } catch .short {
      throw .damaged("a header is shorter than its contents")
    }
    position = end
  }

  private mutating func read(_ startcode: UInt64, _ contents: ArraySlice<UInt8>) throws(NUTFault) {
    var cursor = NUTCursor(contents)
    switch startcode {
    case 0x4E4D_7A56_1F5F_04AD:
      let header = try NUTMainHeader(&cursor)
      guard main == nil || main == header else { throw .damaged("the main header changes on the way") }
      main = header
    case 0x4E53_1140_5BF2_F9DB:
      guard let main else { throw .damaged("a stream comes before the main header") }
      let header = try NUTStreamHeader(&cursor, main: main)
      guard stream == nil || stream == header else { throw .damaged("the video changes its form on the way") }
      stream = header
    case 0x4E4B_E4AD_EECA_4569: try readSyncpoint(&cursor)
    case 0x4E49_AB68_B596_BA78, 0x4E58_DD67_2F23_E64E: break  // information and index
    default: throw .damaged("a header of an unknown kind")
    }
  }

  /// Reads a syncpoint, whose time is the base of the next frame's.
  private mutating func readSyncpoint(_ cursor: inout NUTCursor) throws(NUTFault) {
    guard let main, let stream else { throw .damaged("a syncpoint comes before the headers") }
    let coded = try cursor.number()
    let base = main.timeBases[coded % main.timeBases.count]
    // Rounded down (convert_ts), in 128 bits.
    let ticks = Int128(coded / main.timeBases.count) * Int128(base.value) * Int128(stream.timeBase.timescale)
    let time = ticks / (Int128(base.timescale) * Int128(stream.timeBase.value))
    guard let time = Int(exactly: time) else { throw .damaged("a time is out of range") }
    lastTime = time
  }
}

extension NUTReader {
  private mutating func readFrameHeader() throws(NUTFault) -> MediaTime {
    guard let main, let stream else { throw .damaged("a frame comes before the headers") }
    var cursor = NUTCursor(bytes[position...])
    var code = main.frameCodes[Int(try cursor.byte())]
    guard !code.flags.contains(.invalid) else { throw .damaged("a frame begins with an undefined code") }
    if code.flags.contains(.coded) { code.flags.formSymmetricDifference(NUTFrameFlags(rawValue: try cursor.number())) }
    let flags = code.flags
    if flags.contains(.stream) { code.stream = try cursor.number() }
    guard code.stream == 0 else { throw .damaged("a frame belongs to stream \(code.stream), which does not exist") }
    let time =
      flags.contains(.codedTime) ? try codedTime(cursor.number(), stream) : try sum(lastTime, code.timeDelta)
    var size = code.size
    if flags.contains(.size) {
      let (high, overflow) = try cursor.number().multipliedReportingOverflow(by: code.sizeFactor)
      guard !overflow else { throw .damaged("a frame's size is out of range") }
      size = try sum(size, high)
    }
    if flags.contains(.matchTime) { _ = try cursor.signed() }
    if flags.contains(.headerIndex) { code.headerIndex = try cursor.number() }
    if flags.contains(.reserved) { code.reservedCount = try cursor.count("reserved values", atMost: 256) }
    for _ in 0..<code.reservedCount { _ = try cursor.number() }
    if flags.contains(.checksum) {
      let checksum = NUTChecksum.of(bytes[position..<cursor.position])
      guard try cursor.word() == checksum else { throw .damaged("the checksum of a frame's header is wrong") }
    }
    guard flags.isDisjoint(with: [.sideData, .endOfRelevance]), main.elisions.indices.contains(code.headerIndex),
      size > 0, size >= main.elisions[code.headerIndex].count
    else { throw .damaged("a frame does not hold raw video") }
    elided = main.elisions[code.headerIndex]
    position = cursor.position
    missingData = size
    lastTime = time
    return try presentationTime(time, stream)
  }

  /// Returns the time for a coded one: a whole time, or the low bits of one near the last ("coded_pts").
  private func codedTime(_ coded: Int, _ stream: NUTStreamHeader) throws(NUTFault) -> Int {
    let range = 1 << stream.shortTimeBits
    guard coded < range else { return coded - range }
    let first = try sum(lastTime, -((range - 1) / 2))
    return try sum(first, (coded &- first) & (range - 1))
  }

  private func presentationTime(_ ticks: Int, _ stream: NUTStreamHeader) throws(NUTFault) -> MediaTime {
    let base = stream.timeBase
    if base.value == 1 { return MediaTime(value: Int64(ticks), timescale: base.timescale) }
    guard let time = MediaTime(seconds: Int128(ticks) * Int128(base.value), over: Int128(base.timescale)) else {
      throw .damaged("a time is out of range")
    }
    return time
  }

  private func sum(_ first: Int, _ second: Int) throws(NUTFault) -> Int {
    let (sum, overflow) = first.addingReportingOverflow(second)
    guard !overflow else { throw .damaged("a number is out of range") }
    return sum
  }
}

/// The reason why a part of a NUT stream could not be read.
package enum NUTFault: Error, Equatable {
  /// More bytes are needed.
  case short
  /// It violates the format; the text explains how.
  case damaged(String)
}

/// Reads the values of a NUT stream (NUT Open Container Format, "Syntax").
package struct NUTCursor {
  private let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  package init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    self.position = bytes.startIndex
  }

  /// u(8).
  mutating func byte() throws(NUTFault) -> UInt8 {
    guard position < bytes.endIndex else { throw .short }
    defer { position += 1 }
    return bytes[position]
  }

  /// u(32), the highest byte first.
  mutating func word() throws(NUTFault) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 { value = value << 8 | UInt32(try byte()) }
    return value
  }

  /// u(64), the highest byte first.
  mutating func startcode() throws(NUTFault) -> UInt64 { UInt64(try word()) << 32 | UInt64(try word()) }

  /// v: seven bits per byte, the highest first, until a byte below 128.
  package mutating func number() throws(NUTFault) -> Int {
    var value = 0
    while true {
      let next = try byte()
      guard value <= Int.max >> 7 else { throw .damaged("a number has more than 63 bits") }
      value = value << 7 | Int(next & 0x7f)
      if next < 0x80 { return value }
    }
  }

  /// v as a count of at most `limit`.
  mutating func count(_ what: String, atMost limit: Int) throws(NUTFault) -> Int {
    let value = try number()
    guard value <= limit else { throw .damaged("\(value) \(what) are claimed, more than \(limit)") }
    return value
  }

  /// s: 0, 1, −1, 2, −2 …
  package mutating func signed() throws(NUTFault) -> Int {
    let value = try number()
    return value & 1 == 0 ? -(value >> 1) : value >> 1 + 1
  }

  /// vb: a length and that many bytes.
  mutating func data(atMost limit: Int) throws(NUTFault) -> ArraySlice<UInt8> {
    let length = try count("bytes", atMost: limit)
    guard length <= bytes.endIndex - position else { throw .short }
    defer { position += length }
    return bytes[position..<position + length]
  }
}

/// The checksum of NUT: generator 0x104C11DB7, the highest bit first, initially 0.
package enum NUTChecksum {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte) << 24) { remainder, _ in
      remainder & 0x8000_0000 == 0 ? remainder << 1 : remainder << 1 ^ 0x04C1_1DB7
    }
  }

  package static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 ^ table[Int(UInt8($0 >> 24) ^ $1)] }
  }
}
