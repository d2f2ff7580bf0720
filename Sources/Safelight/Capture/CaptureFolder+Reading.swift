import SafelightFrames
public import SafelightGPU
import SafelightImage

extension CaptureFolder {
  /// The folders of captures at `path`, which is one or holds some, in the order of their numbers.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` where there is none.
  public static func captures(at path: String) throws -> [String] {
    if fileExists(file(CaptureDocument.name, in: path)) { return [path] }
    let found = try AtomicFolder.folders(in: path).map { file($0, in: path) }.filter {
      fileExists(file(CaptureDocument.name, in: $0))
    }
    if found.isEmpty {
      throw SafelightError(
        .missingInput, path, why: "no capture is in it: neither it nor a folder in it has a \(CaptureDocument.name)",
        remedy: "name the folder that SAFELIGHT_CAPTURE was set to, or one of those in it")
    }
    return found
  }

  /// Reads the capture whose folder is at `path`.
  ///
  /// Throws a ``SafelightError`` that names the file: of kind `missingInput` where one is missing, `input` where one is damaged or was
  /// changed, `limit` where all of it takes more than `byteLimit` bytes. Texts of functions may be changed: the replay then runs the new
  /// ones.
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
        throw damaged(textPath, "it is no UTF-8 text")
      }
      capture.texts[function.text] = text
      guard capture.byteCount <= byteLimit else { throw tooLarge(path, capture.byteCount, byteLimit) }
    }
    return capture
  }

  /// Throws where the files hold more than `limit` bytes: none of them is read before.
  private static func check(
    _ files: [String: CaptureDocument.File], _ limit: Int, in document: String
  ) throws(SafelightError) {
    var total = 0
    for (name, entry) in files {
      guard entry.length >= 0 else { throw damaged(document, "\(name) has \(entry.length) bytes") }
      let (sum, isBeyondAll) = total.addingReportingOverflow(entry.length)
      total = isBeyondAll ? .max : sum
    }
    guard total <= limit else { throw tooLarge(document, total, limit) }
  }

  private static func tooLarge(_ path: String, _ count: Int, _ limit: Int) -> SafelightError {
    SafelightError(
      .limit, path, why: "the capture holds \(count) bytes; \(limit) are the limit",
      remedy: "capture smaller command buffers, or raise byteLimit if it is to be trusted")
  }

  private static func blob(_ entry: CaptureDocument.File, at path: String) throws -> Capture.Blob {
    if let size = entry.size, !(1...1 << 20).contains(size.width) || !(1...1 << 20).contains(size.height) {
      throw damaged(path, "a picture of \(size) is none")
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

  /// The pixels of a PNG file; nil where it is another picture. Neither the file nor its pixels take more memory than a picture of that
  /// size may.
  private static func picture(_ entry: CaptureDocument.File, at path: String) throws -> [UInt8]? {
    guard let size = entry.size, let format = entry.pixelFormat, size.area * format.bytesPerPixel == entry.length else {
      return nil
    }
    let bytes = try contents(of: path, limit: 2 * entry.length + 1 << 20, entry)
    // A small picture of another size is told as such.
    let limits = PNGLimits(width: 1 << 20, height: 1 << 20, pixels: max(size.area, 1 << 16))
    return CapturePicture.bytes(
      of: try PNGDecoder.decode(bytes, name: path, limits: limits).image, size: size, format)
  }

  private static func contents(of path: String, limit: Int, _ entry: CaptureDocument.File) throws -> [UInt8] {
    do {
      return try readFile(path, limit: limit)
    } catch let error as SafelightError where error.kind == .input {
      throw damaged(
        path, "it is larger than \(limit) bytes, which is too much for the \(entry.length) that were captured")
    }
  }

  /// A capture may come from anybody: no name in it leads out of its folder.
  private static func check(_ name: String, in document: String) throws {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    if parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) || name.utf8.contains(0) {
      throw damaged(document, "it names the file '\(name)', which is none of its folder")
    }
  }

  private static func damaged(_ path: String, _ why: String) -> SafelightError {
    SafelightError(.input, path, why: why, remedy: "capture the command buffer again")
  }

  private static func file(_ name: String, in folder: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }
}
