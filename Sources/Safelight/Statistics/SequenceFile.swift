internal import FoundationEssentials
internal import Glibc
internal import SafelightFrames
internal import SafelightImage
internal import SafelightKernels

/// The description of a file of numbers about a sequence: its first 512 bytes, a line of JSON padded with spaces, so
/// that `head -1` shows it and it can be written last.
struct SequenceHeader: Codable, Hashable, Sendable {
  /// The kind of numbers in the file.
  enum Kind: String, Codable, Sendable {
    /// The histograms of a part of a sequence.
    case counts
    /// Look-up tables for a whole sequence.
    case tables
  }

  /// The kind. The program's name is its key in the JSON, so that the file says where it comes from.
  var safelight: Kind
  var version = Self.version
  var channels: SequenceChannels
  /// The pixels that were counted; nil for all, and in files of tables.
  var pixels: CountedPixels?
  /// Bits in a sample; nil for a part without frames.
  var depth: Int?
  /// Tables or histograms for each frame: 1 for gray and luma, 3 for colors. 0 for a part without frames.
  var planes = 0
  /// The hash of the names of all frames of the sequence.
  var sequence: String
  /// The number of frames of the sequence.
  var frames: Int
  /// The place of the first frame described, from 0.
  var first = 0
  /// The number of frames described, or of tables.
  var count = 0
  /// The CRC-32 of the totals, or of the tables' places.
  var sums: UInt32 = 0
  /// The CRC-32 of the rest.
  var rest: UInt32 = 0
  /// The CRC-32 of this line's JSON without the spaces behind it, taken while this member is 0.
  var line: UInt32 = 0

  static let version = 1
  static let length = 512

  /// The number of counts in a histogram of one plane.
  var entries: Int { depth.map { 1 << $0 } ?? 0 }

  /// The line's bytes.
  func bytes() throws -> [UInt8] {
    var header = self
    header.line = try checksum()
    let json = try header.json()
    return json + [UInt8](repeating: UInt8(ascii: " "), count: Self.length - 1 - json.count) + [UInt8(ascii: "\n")]
  }

  private func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self))
  }

  private func checksum() throws -> UInt32 {
    var header = self
    header.line = 0
    return CRC32.checksum(try header.json()[...])
  }

  /// Reads the header of `file`, which must be of `kind`.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if the file is another one, of another version, or damaged.
  init(of file: OpenedFile, _ kind: Kind) throws(SafelightError) {
    let beginning = try file.read(0..<min(Self.length, file.byteCount))
    guard beginning.starts(with: Array("{".utf8)),
      let header = try? JSONDecoder().decode(Self.self, from: Data(beginning))
    else {
      throw kind.refusal(of: file, "it is not a file of \(kind.rawValue)")
    }
    guard header.safelight == kind else {
      throw kind.refusal(of: file, "it holds \(header.safelight.rawValue), not \(kind.rawValue)")
    }
    guard header.version == Self.version else {
      throw kind.refusal(of: file, "it is of version \(header.version), and this program reads \(Self.version)")
    }
    guard (try? header.checksum()) == header.line, header.isPossible else { throw kind.damage(of: file) }
    self = header
  }

  init(_ kind: Kind, _ channels: SequenceChannels, sequence: String, frames: Int) {
    (safelight, self.channels, self.sequence, self.frames) = (kind, channels, sequence, frames)
  }

  /// False if no frames could have such numbers; they would overflow later sums.
  private var isPossible: Bool {
    guard (0...Int(Int32.max)).contains(frames), (0...frames).contains(first), (0...frames - first).contains(count),
      sequence.utf8.count == 64
    else { return false }
    if count == 0 { return depth == nil && planes == 0 }
    return (depth == 8 || depth == 16) && (planes == 1 || planes == 3 && channels == .each)
  }
}

extension SequenceHeader.Kind {
  /// The error for a file that is not a whole one of this kind.
  func refusal(of file: OpenedFile, _ why: String) -> SafelightError {
    let command = self == .counts ? "analyze" : "merge"
    return SafelightError(.input, file.path, why: why, remedy: "make it again with safelight \(command)")
  }

  /// The error for numbers whose checksum is another.
  func damage(of file: OpenedFile) -> SafelightError {
    refusal(of: file, "its checksum does not match: the file is damaged")
  }
}

/// The samples that are counted: each channel by itself, or the luma of ITU-R BT.601.
package enum SequenceChannels: String, Codable, Hashable, Sendable, CaseIterable {
  case each, luma

  var counted: HistogramInfo.Channels { self == .each ? .each : .luma }
}

extension Array where Element: FixedWidthInteger {
  /// The numbers that `bytes` holds in little-endian order; as many as it has whole.
  init(littleEndian bytes: [UInt8]) {
    let width = Element.bitWidth / 8
    self = unsafe bytes.withUnsafeBytes { bytes in
      (0..<bytes.count / width).map { index in
        unsafe Element(littleEndian: bytes.loadUnaligned(fromByteOffset: index * width, as: Element.self))
      }
    }
  }

  /// The bytes in little-endian order.
  var littleEndianBytes: [UInt8] {
    let numbers = map(\.littleEndian)
    return unsafe numbers.withUnsafeBytes { unsafe Array<UInt8>($0) }
  }
}

extension [String] {
  /// A hash of the names of a sequence's frames, by which another process recognizes it.
  package var sequenceHash: String { SHA256.hash(flatMap { [UInt8]($0.utf8) + [0] }).hexadecimal }
}
