internal import Glibc
public import SafelightImage
internal import Synchronization

/// A command buffer with everything it was made of: its commands, its functions' texts, what its resources held before, and what it left
/// behind.
///
/// A plain value. ``CaptureReplay`` carries it out again on any device; a ``CaptureSink`` receives it.
public struct Capture: Sendable {
  /// Bytes that belong to a capture; rows without padding where they are pixels.
  package struct Blob: Hashable, Sendable {
    package var bytes: [UInt8]
    /// Columns and rows, where the bytes are pixels.
    package var size: Size?
    /// How a pixel lies in memory, where the bytes are pixels.
    package var pixelFormat: PixelFormat?

    package init(bytes: [UInt8], size: Size? = nil, pixelFormat: PixelFormat? = nil) {
      self.bytes = bytes
      self.size = size
      self.pixelFormat = pixelFormat
    }
  }

  /// All but the bytes and texts, which it names.
  package var manifest: CaptureManifest
  /// Bytes by the names that the manifest uses.
  package var blobs: [String: Blob]
  /// Complete GLSL texts by the names that the manifest uses.
  package var texts: [String: String]

  package init(manifest: CaptureManifest, blobs: [String: Blob] = [:], texts: [String: String] = [:]) {
    self.manifest = manifest
    self.blobs = blobs
    self.texts = texts
  }

  /// The command buffer's label.
  public var label: String { manifest.label }
  /// The name of the device that ran it.
  public var deviceName: String { manifest.device.name }
  /// Why it failed; nil where it completed.
  public var failure: String? { manifest.failure }
  /// Names of what it left behind: textures and buffers that it wrote, and what was read back.
  public var outputs: [String] { manifest.outputs.map(\.name) }
  /// Bytes of everything in it, uncompressed.
  public var byteCount: Int {
    blobs.values.reduce(0) { $0 + $1.bytes.count } + texts.values.reduce(0) { $0 + $1.utf8.count }
  }
}

/// Where captures go; called on the device's thread, before the command buffer's completed handlers.
public protocol CaptureSink: Sendable {
  /// Whether a command buffer of this label is wanted; asked before anything is read for it.
  func wants(_ label: String) -> Bool
  /// Bytes of memory that one capture may take; asked before anything is read for it, and more fails the command buffer.
  var byteLimit: Int { get }
  /// Takes a capture. An error fails the command buffer, as a capture that is missing would go unnoticed.
  func receive(_ capture: Capture) throws(SafelightError)
}

extension CaptureSink {
  /// Every command buffer is wanted.
  public func wants(_ label: String) -> Bool { true }

  /// 4 GiB.
  public var byteLimit: Int { 1 << 32 }
}

extension Capture {
  /// What of a label is fit for a file name; empty where nothing is.
  package static func fileName(_ label: String) -> String { CaptureNames.slug(label) }
}

/// The wish for captures that comes from outside: the variable `SAFELIGHT_CAPTURE` names a folder.
///
/// This module writes no files. Whoever can write the folder says so once with ``install(_:)``, before a device is opened;
/// `CaptureFolder.install()` does.
public enum CaptureRequest {
  /// The name of the variable.
  public static let variable = "SAFELIGHT_CAPTURE"

  private static let installed = Mutex<(any CaptureSink)?>(nil)

  /// Every device that is opened from now on, while the variable is set, sends all its command buffers to `sink`; nil takes it back.
  public static func install(_ sink: (any CaptureSink)?) { installed.withLock { $0 = sink } }

  /// The folder that the variable names; nil where it is not set.
  public static var folder: String? {
    guard let value = unsafe getenv(variable) else { return nil }
    let path = unsafe String(cString: value)
    return path.isEmpty ? nil : path
  }

  /// Where all command buffers of a device that is being opened go; throws where captures were asked for and nobody takes them.
  static func sink() throws(SafelightError) -> (any CaptureSink)? {
    guard let folder else { return nil }
    if let sink = installed.withLock({ $0 }) { return sink }
    throw SafelightError(
      .usage, "\(variable)=\(folder)", why: "this program has nothing that writes captures",
      remedy: "call CaptureFolder.install() before the device is opened, or unset the variable")
  }
}

/// Names of a capture's objects: a kind, a number and what is fit for a file name of the label, such as `texture-2-source`.
struct CaptureNames {
  private var counts: [String: Int] = [:]

  /// The next name of `kind`.
  mutating func next(_ kind: String, _ label: String = "") -> String {
    let number = counts[kind, default: 0] + 1
    counts[kind] = number
    let words = Self.slug(label, limit: 40)
    return words.isEmpty ? "\(kind)-\(number)" : "\(kind)-\(number)-\(words)"
  }

  /// Letters, digits, dots and underscores of `label`; what lies between them becomes one hyphen. Of a long one
  /// the end is kept, as paths tell most there.
  static func slug(_ label: String, limit: Int = 80) -> String {
    let words = label.utf8.suffix(200).split { byte in
      let isWordByte =
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
        || byte == UInt8(ascii: ".")
      return !isWordByte
    }
    let joined = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-").suffix(limit)
    // No name is hidden, a way up, or an option.
    return String(joined.drop { $0 == "." || $0 == "-" })
  }
}

/// How far two runs of bytes are apart, sample by sample.
public struct CaptureDifference: Hashable, Sendable {
  /// Samples that differ; words of a buffer, bytes where it has no whole words.
  public let differing: Int
  /// Samples compared.
  public let count: Int
  /// The first that differs, from 0.
  public let first: Int
  /// The largest difference, in the numbers of the format.
  public let largest: Double

  /// Nil where both are equal; both must be as long.
  public init?(expected: [UInt8], actual: [UInt8], pixelFormat: PixelFormat?) {
    trap(unless: expected.count == actual.count, "only as many bytes can be compared")
    if expected == actual { return nil }
    let width = Self.width(expected, pixelFormat)
    let isFloat = pixelFormat?.sampleKind == .float
    var differing = 0
    var first: Int?
    var largest = 0.0
    for index in 0..<expected.count / width {
      let range = index * width..<(index + 1) * width
      if expected[range] == actual[range] { continue }
      differing += 1
      if first == nil { first = index }
      let distance = abs(
        Self.value(expected[range], isFloat: isFloat) - Self.value(actual[range], isFloat: isFloat))
      largest = distance.isNaN ? .infinity : max(largest, distance)
    }
    self.differing = differing
    self.first = first ?? 0
    self.largest = largest
    count = expected.count / width
  }

  private static func value(_ bytes: ArraySlice<UInt8>, isFloat: Bool) -> Double {
    let bits = bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard isFloat else { return Double(bits) }
    return Double(
      bytes.count == 2 ? PixelFormat.float(halfBits: UInt16(truncatingIfNeeded: bits)) : Float(bitPattern: bits))
  }
}

extension CaptureDifference {
  /// How many samples are compared in bytes of a format: words of a buffer, bytes where it has no whole words.
  public static func count(_ bytes: [UInt8], pixelFormat: PixelFormat?) -> Int {
    bytes.count / width(bytes, pixelFormat)
  }

  private static func width(_ bytes: [UInt8], _ pixelFormat: PixelFormat?) -> Int {
    pixelFormat?.bytesPerSample ?? (bytes.count % 4 == 0 ? 4 : 1)
  }
}
