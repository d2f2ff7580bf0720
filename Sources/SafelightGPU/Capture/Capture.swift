public import SafelightImage

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
