public import SafelightImage
internal import SafelightMachine
internal import Synchronization

/// A command buffer with everything needed to run it again: its commands, the text of its functions, the contents of
/// its resources before it ran, and its results.
///
/// A plain value. ``CaptureReplay`` runs it again on any device; a ``CaptureSink`` receives it.
public struct Capture: Sendable {
  /// The bytes of a resource or of a command's argument; pixels have no padding between rows.
  package struct Blob: Hashable, Sendable {
    package var bytes: [UInt8]
    /// Columns and rows, if the bytes are pixels.
    package var size: Size?
    /// The layout of a pixel, if the bytes are pixels.
    package var pixelFormat: PixelFormat?

    package init(bytes: [UInt8], size: Size? = nil, pixelFormat: PixelFormat? = nil) {
      self.bytes = bytes
      self.size = size
      self.pixelFormat = pixelFormat
    }
  }

  /// Everything except the bytes and texts, which it refers to by name.
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
  /// Why it failed; nil if it completed.
  public var failure: String? { manifest.failure }
  /// The names of its results: textures and buffers that it wrote, and readbacks.
  public var outputs: [String] { manifest.outputs.map(\.name) }
  /// The total size of its bytes and texts, uncompressed.
  public var byteCount: Int {
    blobs.values.reduce(0) { $0 + $1.bytes.count } + texts.values.reduce(0) { $0 + $1.utf8.count }
  }

  /// Makes a file name of a label: keeps letters, digits, dots and underscores, and replaces runs of others by one
  /// hyphen.
  ///
  /// A long label loses its beginning, as the end of a path says most. The result may be empty.
  package static func fileName(_ label: String, limit: Int = 80) -> String {
    let words = label.utf8.suffix(200).split { !$0.isOfWord && $0 != UInt8(ascii: ".") }
    let joined = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-").suffix(limit)
    // A name must not begin like a hidden file, a way up, or an option.
    return String(joined.drop { $0 == "." || $0 == "-" })
  }
}

/// Receives captures, on the device's thread, before the command buffer's completed handlers run.
public protocol CaptureSink: Sendable {
  /// Returns whether to capture a command buffer with this label; called before anything is read for it.
  func wants(_ label: String) -> Bool
  /// The bytes of memory that one capture may take; checked before anything is read for it. A command buffer whose
  /// capture would take more fails.
  var byteLimit: Int { get }
  /// Takes a capture. An error fails the command buffer, as a missing capture would go unnoticed.
  func receive(_ capture: Capture) throws(SafelightError)
}

extension CaptureSink {
  /// Returns true: every command buffer is captured.
  public func wants(_ label: String) -> Bool { true }

  /// 4 GiB.
  public var byteLimit: Int { 1 << 32 }
}

/// The request for captures in the environment: the variable `SAFELIGHT_CAPTURE` names a folder.
///
/// This module writes no files. Code that can write the folder registers itself with ``install(_:)`` before a device is
/// opened; `CaptureFolder.install()` does so.
public enum CaptureRequest {
  /// The name of the variable.
  public static let variable = "SAFELIGHT_CAPTURE"

  private static let installed = Mutex<(any CaptureSink)?>(nil)

  /// Sets the sink that receives all command buffers of devices opened from now on while the variable is set; nil
  /// removes it.
  public static func install(_ sink: (any CaptureSink)?) { installed.withLock { $0 = sink } }

  /// The folder that the variable names; nil if it is not set.
  public static var folder: String? {
    MachineReadings.ofThisProcess.variable(variable).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the sink of a device that is being opened; throws if the variable is set and no sink is installed.
  static func sink() throws(SafelightError) -> (any CaptureSink)? {
    guard let folder else { return nil }
    if let sink = installed.withLock({ $0 }) { return sink }
    throw SafelightError(
      .usage, "\(variable)=\(folder)", why: "no part of this program writes captures",
      remedy: "call CaptureFolder.install() before the device is opened, or unset the variable")
  }
}

/// The difference of two runs of bytes, sample by sample.
public struct CaptureDifference: Hashable, Sendable {
  /// The number of samples that differ; a sample of a buffer is a 32-bit word, or a byte if its length is no multiple
  /// of 4.
  public let differing: Int
  /// The number of samples compared.
  public let count: Int
  /// The index of the first sample that differs.
  public let first: Int
  /// The largest difference, in the numbers of the format.
  public let largest: Double

  /// Compares runs of equal length; nil if they are equal.
  public init?(expected: [UInt8], actual: [UInt8], pixelFormat: PixelFormat?) {
    trap(
      unless: expected.count == actual.count,
      "only runs of the same number of bytes can be compared; \(expected.count) and \(actual.count) were given")
    if expected == actual { return nil }
    let width = Self.sampleLength(expected, pixelFormat)
    let isFloat = pixelFormat?.sampleKind == .float
    var differing = 0
    var first: Int?
    var largest = 0.0
    for index in 0..<expected.count / width {
      let range = index * width..<(index + 1) * width
      if expected[range] == actual[range] { continue }
      differing += 1
      if first == nil { first = index }
      let distance = abs(Self.value(expected[range], isFloat: isFloat) - Self.value(actual[range], isFloat: isFloat))
      largest = distance.isNaN ? .infinity : max(largest, distance)
    }
    self.differing = differing
    self.first = first ?? 0
    self.largest = largest
    count = expected.count / width
  }

  /// Returns the number of samples in bytes of a format.
  public static func count(_ bytes: [UInt8], pixelFormat: PixelFormat?) -> Int {
    bytes.count / sampleLength(bytes, pixelFormat)
  }

  private static func sampleLength(_ bytes: [UInt8], _ pixelFormat: PixelFormat?) -> Int {
    pixelFormat?.bytesPerSample ?? (bytes.count % 4 == 0 ? 4 : 1)
  }

  private static func value(_ bytes: ArraySlice<UInt8>, isFloat: Bool) -> Double {
    let bits = bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard isFloat else { return Double(bits) }
    return Double(
      bytes.count == 2 ? PixelFormat.float(halfBits: UInt16(truncatingIfNeeded: bits)) : Float(bitPattern: bits))
  }
}
