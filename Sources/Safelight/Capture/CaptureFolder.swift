import Glibc
import SafelightFrames
public import SafelightGPU
public import SafelightImage
import Synchronization

/// Writes captures as folders that a person can read: JSON, PNG pictures, GLSL texts.
///
///     0001-frame-17/capture.json            commands, resources, descriptors
///     0001-frame-17/inputs/texture-1-….png  what resources held before
///     0001-frame-17/functions/….comp.glsl   the complete texts
///     0001-frame-17/outputs/….png           what was left behind
///
/// Each appears whole, or not at all. Several processes may write into one folder.
public final class CaptureFolder: CaptureSink {
  /// Which command buffers are captured, and how much in all.
  public struct Options: Sendable {
    /// A pattern of labels, with `*`, `?` and `[…]` as in a shell; all where nil.
    public var labels: String?
    /// Only so many; all where nil.
    public var first: Int?
    /// Bytes of captures, uncompressed, after which no more are taken. A single one that takes more fails its command buffer.
    public var byteLimit = 1 << 32

    /// Captures everything, up to 4 GiB.
    public init() {}

    /// What the variables `SAFELIGHT_CAPTURE_LABELS` and `SAFELIGHT_CAPTURE_FIRST` ask for; throws where the second is no number.
    public static func fromEnvironment() throws(SafelightError) -> Options {
      var options = Options()
      options.labels = environmentVariable("SAFELIGHT_CAPTURE_LABELS")
      guard let text = environmentVariable("SAFELIGHT_CAPTURE_FIRST") else { return options }
      guard let first = Int(text), first > 0 else {
        throw SafelightError(
          .usage, "SAFELIGHT_CAPTURE_FIRST=\(text)", why: "not a number of command buffers from 1",
          remedy: "set it to 10, or unset it")
      }
      options.first = first
      return options
    }
  }

  /// What was written so far.
  public struct Summary: Hashable, Sendable {
    /// Captures.
    public var captures = 0
    /// Bytes in their files.
    public var bytes = 0
    /// Captures that were left out for ``CaptureFolder/Options/byteLimit``.
    public var leftOut = 0
  }

  /// Where the captures go.
  public let path: String
  private let options: Options

  private struct State {
    var summary = Summary()
    var claimed = 0
    var uncompressed = 0
    var lastNumber = 0
  }

  private let state = Mutex(State())

  /// Captures into `path`, which is made with the first capture.
  public init(_ path: String, options: Options = Options()) {
    self.path = path
    self.options = options
  }

  /// Captures the command buffers of every device that is opened from now on into the folder that `SAFELIGHT_CAPTURE` names; nil,
  /// and nothing happens, where the variable is not set.
  @discardableResult
  public static func install() throws(SafelightError) -> CaptureFolder? {
    guard let path = CaptureRequest.folder else { return nil }
    let folder = CaptureFolder(path, options: try Options.fromEnvironment())
    CaptureRequest.install(folder)
    return folder
  }

  /// What was written so far.
  public var summary: Summary { state.withLock { $0.summary } }

  /// Whether the options ask for it.
  public func wants(_ label: String) -> Bool {
    if let pattern = options.labels, fnmatch(pattern, label, 0) != 0 { return false }
    return state.withLock { state in
      if let first = options.first, state.claimed >= first { return false }
      state.claimed += 1
      return true
    }
  }

  /// A capture that takes more is refused: nothing reads it by default.
  public var byteLimit: Int { options.byteLimit }

  /// Writes the capture.
  public func receive(_ capture: Capture) throws(SafelightError) {
    let isTaken = state.withLock { state -> Bool in
      guard state.uncompressed + capture.byteCount <= options.byteLimit else {
        state.summary.leftOut += 1
        return false
      }
      state.uncompressed += capture.byteCount
      return true
    }
    guard isTaken else { return }
    do {
      let bytes = try write(capture)
      state.withLock { state in
        state.summary.captures += 1
        state.summary.bytes += bytes
      }
    } catch let error as SafelightError {
      throw error
    } catch {
      throw SafelightError(.output, path, why: "\(error)")
    }
  }

  /// Returns the bytes in its files.
  private func write(_ capture: Capture) throws -> Int {
    let label = Capture.fileName(capture.label)
    var folder = try AtomicFolder(in: path, stem: label)
    var files: [String: CaptureDocument.File] = [:]
    var count = 0
    for (name, blob) in capture.blobs.sorted(by: { $0.key < $1.key }) {
      let picture = CapturePicture(blob)
      let file = CaptureDocument.File(
        path: name + (picture == nil ? ".bin" : ".png"), length: blob.bytes.count, hash: blob.hash, size: blob.size,
        pixelFormat: blob.pixelFormat)
      let bytes = try picture.map { try PNGEncoder.encode(PNGFile(image: $0.image)) } ?? blob.bytes
      try folder.write(bytes, to: file.path)
      files[name] = file
      count += bytes.count
    }
    for (name, text) in capture.texts.sorted(by: { $0.key < $1.key }) {
      try folder.write(Array(text.utf8), to: name + ".glsl")
      count += text.utf8.count
    }
    let document = try CaptureDocument(capture: capture.manifest, files: files).encoded()
    try folder.write(document, to: CaptureDocument.name)
    try name(&folder, label)
    return count + document.count
  }

  /// Gives the folder the next free number.
  private func name(_ folder: inout AtomicFolder, _ label: String) throws {
    let there = try AtomicFolder.folders(in: path).compactMap { Int($0.prefix { $0.isNumber }) }.max() ?? 0
    while true {
      let number = state.withLock { state in
        state.lastNumber = max(state.lastNumber, there) + 1
        return state.lastNumber
      }
      let digits = String(number)
      let name = String(repeating: "0", count: max(0, 4 - digits.count)) + digits + (label.isEmpty ? "" : "-\(label)")
      if try folder.commit(as: name) { return }
    }
  }
}

private func environmentVariable(_ name: String) -> String? {
  getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
}
