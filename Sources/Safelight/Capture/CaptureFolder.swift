import Glibc
import SafelightFrames
public import SafelightGPU
public import SafelightImage
import Synchronization

/// Writes captures as folders that a person can read: JSON, PNG pictures, GLSL texts.
///
///     0001-frame-17/capture.json            commands, resources, descriptors
///     0001-frame-17/inputs/texture-1-….png  contents of the resources before
///     0001-frame-17/functions/….comp.glsl   the complete texts
///     0001-frame-17/outputs/….png           contents of the resources afterwards
///
/// Each is written whole or not at all. Several processes may write into one folder.
public final class CaptureFolder: CaptureSink {
  /// The command buffers to capture, and the limit to their total size.
  public struct Options: Sendable {
    /// A pattern of labels, with `*`, `?` and `[…]` as in a shell; nil for all.
    public var labels: String?
    /// The number of command buffers to capture; nil for all.
    public var first: Int?
    /// The uncompressed bytes of captures after which no more are taken. A single capture that takes more fails its
    /// command buffer.
    public var byteLimit = 1 << 32

    /// Captures everything, up to 4 GiB.
    public init() {}

    /// Returns the options that the variables `SAFELIGHT_CAPTURE_LABELS` and `SAFELIGHT_CAPTURE_FIRST` set; throws if
    /// the second is not a number.
    static func fromEnvironment() throws(SafelightError) -> Options {
      var options = Options()
      options.labels = environmentVariable("SAFELIGHT_CAPTURE_LABELS")
      guard let text = environmentVariable("SAFELIGHT_CAPTURE_FIRST") else { return options }
      guard let first = Int(text), first > 0 else {
        throw SafelightError(
          .usage, "SAFELIGHT_CAPTURE_FIRST=\(text)", why: "it is not a number of command buffers, 1 or more",
          remedy: "set it to a number such as 10, or unset it")
      }
      options.first = first
      return options
    }
  }

  /// The captures written so far.
  public struct Summary: Hashable, Sendable {
    /// The number of captures.
    public var captures = 0
    /// The number of bytes in their files.
    public var bytes = 0
    /// The number of captures left out because of ``CaptureFolder/Options/byteLimit``.
    public var leftOut = 0
  }

  /// The folder of the captures.
  public let path: String
  private let options: Options

  private let state = Mutex((summary: Summary(), claimed: 0, uncompressed: 0, lastNumber: 0))

  /// Captures into `path`, which is created with the first capture.
  public init(_ path: String, options: Options = Options()) {
    self.path = path
    self.options = options
  }

  /// Captures the command buffers of every device opened from now on into the folder that `SAFELIGHT_CAPTURE` names;
  /// returns nil and does nothing if the variable is not set.
  @discardableResult
  public static func install() throws(SafelightError) -> CaptureFolder? {
    guard let path = CaptureRequest.folder else { return nil }
    let folder = CaptureFolder(path, options: try Options.fromEnvironment())
    CaptureRequest.install(folder)
    return folder
  }

  /// The captures written so far.
  public var summary: Summary { state.withLock { $0.summary } }

  /// Returns true if the options ask for the command buffer.
  public func wants(_ label: String) -> Bool {
    if let pattern = options.labels, fnmatch(pattern, label, 0) != 0 { return false }
    return state.withLock { state in
      if let first = options.first, state.claimed >= first { return false }
      state.claimed += 1
      return true
    }
  }

  /// The limit above which a capture is refused: nothing would read it by default.
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
    } catch {
      throw error as? SafelightError ?? SafelightError(.output, path, why: "\(error)")
    }
  }

  /// Writes the capture's files and returns their bytes.
  private func write(_ capture: Capture) throws -> Int {
    let label = Capture.fileName(capture.label)
    var folder = try AtomicFolder(in: path, stem: label)
    var files: [String: CaptureDocument.File] = [:]
    var count = 0
    for (name, blob) in capture.blobs.sorted(by: { $0.key < $1.key }) {
      let image = blob.image
      let file = CaptureDocument.File(
        path: name + (image == nil ? ".bin" : ".png"), length: blob.bytes.count, hash: blob.hash, size: blob.size,
        pixelFormat: blob.pixelFormat)
      let bytes = try image.map { try PNGEncoder.encode(PNGFile(image: $0)) } ?? blob.bytes
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

extension CaptureFolder {
  /// Returns the folders of captures at `path`, which is one or contains some, in the order of their numbers.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if there is none.
  public static func captures(at path: String) throws -> [String] {
    if fileExists(file(CaptureDocument.name, in: path)) { return [path] }
    let found = try AtomicFolder.folders(in: path).map { file($0, in: path) }.filter {
      fileExists(file(CaptureDocument.name, in: $0))
    }
    if found.isEmpty {
      throw SafelightError(
        .missingInput, path, why: "it holds no capture: neither it nor a folder in it has a \(CaptureDocument.name)",
        remedy: "name the folder that SAFELIGHT_CAPTURE was set to, or a folder in it")
    }
    return found
  }

  /// Reads the capture whose folder is at `path`.
  ///
  /// Texts of functions may be changed: the replay then runs the new ones.
  ///
  /// - Throws: ``SafelightError`` that names the file: of kind `missingInput` if one is missing, `input` if one is
  ///   damaged or was changed, `limit` if the whole takes more than `byteLimit` bytes.
  public static func read(_ path: String, byteLimit: Int = 1 << 32) throws -> Capture {
    let documentPath = file(CaptureDocument.name, in: path)
    let document = try CaptureDocument(readFile(documentPath, limit: 1 << 28), path: documentPath)
    try check(document.files, byteLimit, in: documentPath)
    var capture = Capture(manifest: document.capture)
    for (name, entry) in document.files {
      try check(entry.path, in: documentPath)
      capture.blobs[name] = try blob(entry, at: file(entry.path, in: path))
    }
    for function in document.capture.functions where capture.texts[function.text] == nil {
      try check(function.text, in: documentPath)
      let textPath = file(function.text + ".glsl", in: path)
      guard let text = String(validating: try readFile(textPath, limit: 1 << 24), as: UTF8.self) else {
        throw damaged(textPath, "it is not UTF-8 text")
      }
      capture.texts[function.text] = text
      guard capture.byteCount <= byteLimit else { throw tooLarge(path, capture.byteCount, byteLimit) }
    }
    return capture
  }

  /// Throws if the files hold more than `limit` bytes, before any of them is read.
  private static func check(
    _ files: [String: CaptureDocument.File], _ limit: Int, in document: String
  ) throws(SafelightError) {
    for (name, entry) in files where entry.length < 0 { throw damaged(document, "\(name) has \(entry.length) bytes") }
    let total = Int(clamping: files.values.reduce(Int128(0)) { $0 + Int128($1.length) })
    guard total <= limit else { throw tooLarge(document, total, limit) }
  }

  private static func tooLarge(_ path: String, _ count: Int, _ limit: Int) -> SafelightError {
    SafelightError(
      .limit, path, why: "the capture holds \(count) bytes; the limit is \(limit)",
      remedy: "capture smaller command buffers, or raise byteLimit if you trust the capture")
  }

  private static func blob(_ entry: CaptureDocument.File, at path: String) throws -> Capture.Blob {
    if let size = entry.size, !(1...1 << 20).contains(size.width) || !(1...1 << 20).contains(size.height) {
      throw damaged(path, "its size \(size) is out of range")
    }
    var blob = Capture.Blob(bytes: [], size: entry.size, pixelFormat: entry.pixelFormat)
    if entry.path.hasSuffix(".png") {
      guard let bytes = try picture(entry, at: path) else {
        throw damaged(path, "it is not the picture that \(CaptureDocument.name) describes")
      }
      blob.bytes = bytes
    } else {
      blob.bytes = try contents(of: path, limit: entry.length, entry)
    }
    guard blob.bytes.count == entry.length else {
      throw damaged(path, "it holds \(blob.bytes.count) bytes; \(entry.length) were captured")
    }
    guard blob.hash == entry.hash else { throw damaged(path, "its contents are not those that were captured") }
    return blob
  }

  /// Returns the pixels of a PNG file; nil if its size or kind differs from the entry's. Neither the file nor its
  /// pixels take more memory than a picture of that size may.
  private static func picture(_ entry: CaptureDocument.File, at path: String) throws -> [UInt8]? {
    guard let size = entry.size, let format = entry.pixelFormat, size.area * format.bytesPerPixel == entry.length else {
      return nil
    }
    let bytes = try contents(of: path, limit: 2 * entry.length + 1 << 20, entry)
    // A small picture of another size is reported as such.
    let limits = PNGLimits(width: 1 << 20, height: 1 << 20, pixels: max(size.area, 1 << 16))
    let image = try PNGDecoder.decode(bytes, name: path, limits: limits).image
    // The same exchange of red and blue that put red first puts blue first again.
    guard let texture = Capture.Blob(bytes: image.bytes, size: size, pixelFormat: format).image,
      (image.size, image.channels, image.depth) == (size, texture.channels, texture.depth)
    else { return nil }
    return texture.bytes
  }

  private static func contents(of path: String, limit: Int, _ entry: CaptureDocument.File) throws -> [UInt8] {
    do {
      return try readFile(path, limit: limit)
    } catch let error as SafelightError where error.kind == .input {
      throw damaged(
        path, "it is larger than \(limit) bytes, which is too much for the \(entry.length) that were captured")
    }
  }

  /// Refuses a name that leads out of the capture's folder: a capture may come from anybody.
  private static func check(_ name: String, in document: String) throws {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    if parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) || name.utf8.contains(0) {
      throw damaged(document, "it names the file '\(name)', which is outside its folder")
    }
  }

  private static func damaged(_ path: String, _ why: String) -> SafelightError {
    SafelightError(.input, path, why: why, remedy: "capture the command buffer again")
  }

  private static func file(_ name: String, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }
}
