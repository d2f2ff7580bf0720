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
  /// changed. Texts of functions may be changed: the replay then runs the new ones.
  public static func read(_ path: String) throws -> Capture {
    let documentPath = file(CaptureDocument.name, in: path)
    let document = try CaptureDocument(readFile(documentPath, limit: 1 << 28), path: documentPath)
    var capture = Capture(manifest: document.capture)
    for (name, entry) in document.files {
      try check(entry.path, in: documentPath)
      capture.blobs[name] = try blob(entry, at: file(entry.path, in: path))
    }
    for function in document.capture.functions {
      try check(function.text, in: documentPath)
      let textPath = file(function.text + ".glsl", in: path)
      guard let text = String(validating: try readFile(textPath, limit: 1 << 24), as: UTF8.self) else {
        throw damaged(textPath, "it is no UTF-8 text")
      }
      capture.texts[function.text] = text
    }
    return capture
  }

  private static func blob(_ entry: CaptureDocument.File, at path: String) throws -> Capture.Blob {
    if let size = entry.size, !(1...1 << 20).contains(size.width) || !(1...1 << 20).contains(size.height) {
      throw damaged(path, "a picture of \(size) is none")
    }
    var blob = Capture.Blob(bytes: [], size: entry.size, pixelFormat: entry.pixelFormat)
    if entry.path.hasSuffix(".png") {
      let image = try PNGFile(reading: path).image
      guard let size = entry.size, let format = entry.pixelFormat,
        let bytes = CapturePicture.bytes(of: image, size: size, format)
      else { throw damaged(path, "it is not the picture that \(CaptureDocument.name) describes") }
      blob.bytes = bytes
    } else {
      blob.bytes = try readFile(path)
    }
    guard blob.bytes.count == entry.length else {
      throw damaged(path, "it holds \(blob.bytes.count) bytes; \(entry.length) were captured")
    }
    guard blob.hash == entry.hash else { throw damaged(path, "its contents are not those that were captured") }
    return blob
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
