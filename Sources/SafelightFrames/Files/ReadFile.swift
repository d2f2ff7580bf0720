import Glibc
package import SafelightImage

/// Reads the whole file at `path`, at most `limit` bytes; reads pipes and devices to their end.
///
/// - Throws: ``SafelightError`` of kind `missingInput` if it cannot be opened, `transfer` if reading fails halfway, and
///   `input` if it is larger than `limit`.
public func readFile(_ path: String, limit: Int = 1 << 32) throws -> [UInt8] {
  let file = try OpenedFile(ofAnyKind: path)
  var portion = file.isRegular ? room(for: min(file.byteCount, limit)) : 1 << 16
  var bytes: [UInt8] = []
  while true {
    let part = try file.readPart(atMost: portion)
    if part.isEmpty { return bytes }
    try ensure(
      part.count <= limit - bytes.count, .input, path, why: "it is larger than the limit of \(limit) bytes",
      remedy: "name a smaller file")
    // The first part of a file is nearly always all of it: no copy.
    if bytes.isEmpty { bytes = part } else { bytes += part }
    portion = 1 << 16
  }
}

/// Reads a file that must be on a disk, since reading a pipe might never end. Throws a ``SafelightError`` of kind
/// `input` if it is a pipe, device or socket, and the errors of ``readFile(_:limit:)``.
package func readRegularFile(_ path: String, limit: Int = 1 << 32) throws -> [UInt8] {
  if FileStatus(path)?.kind == .special { throw Folder.notAFile(path) }
  return try readFile(path, limit: limit)
}

/// The size of the first read: one more than the bytes of a file, so that one read also finds its end. A file that
/// grows meanwhile is read on.
///
/// Large files get whole MiB, so that frames of similar size reuse the memory of the last one. This keeps memory over
/// 5000 frames of 1080p between 235 and 243 MiB, from 224 MiB at the start, instead of 257 MiB.
private func room(for byteCount: Int) -> Int {
  let unit = 1 << 20
  return byteCount < unit ? byteCount + 1 : (byteCount / unit + 1) * unit
}

/// Reads up to `count` bytes from the beginning of the file at `path`.
package func readBeginning(_ path: String, count: Int) throws -> [UInt8] {
  try OpenedFile(ofAnyKind: path).readPart(atMost: count)
}

/// Reads what comes next, at most `count` bytes; none at the end.
func readPart(_ descriptor: Int32, atMost count: Int, path: String) throws(SafelightError) -> [UInt8] {
  var code: Int32 = 0
  let part = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
    let result = uninterrupted { unsafe read(descriptor, buffer.baseAddress, buffer.count) }
    code = result < 0 ? errno : 0
    initialized = max(0, result)
  }
  if code != 0 { throw fileError(.transfer, path, cannotBe: "read", code: code) }
  return part
}

/// The error for a file that cannot be opened; for a dangling link it names the destination.
func cannotOpen(_ path: String, code: Int32) -> SafelightError {
  guard code == ENOENT, let target = FileStatus.linkTarget(path) else {
    return fileError(.missingInput, path, cannotBe: "opened", code: code)
  }
  return SafelightError(
    .missingInput, path, why: "it is a link to \(target), which does not exist",
    remedy: "check that its disk is mounted, or correct the link")
}

/// Returns whether `path` is a file, or a link to one.
package func isFile(_ path: String) -> Bool { FileStatus(path)?.kind == .file }

/// Returns whether anything exists at `path`.
public func fileExists(_ path: String) -> Bool { FileStatus(path) != nil }

/// A file that is open for reading. Of one on a disk, any part can be read from any thread.
package final class OpenedFile: Sendable {
  package let path: String
  let descriptor: Int32
  /// False for pipes, devices and sockets.
  let isRegular: Bool
  /// The size when it was opened.
  package let byteCount: Int

  /// Opens a file that must be on a disk. Throws a ``SafelightError`` of kind `missingInput` if it cannot be opened,
  /// `input` if it is a device, pipe or socket.
  package convenience init(_ path: String) throws(SafelightError) {
    try self.init(ofAnyKind: path, O_NONBLOCK)
    if !isRegular { throw Folder.notAFile(path) }
  }

  /// Opens a file, pipe or device; waits for the writer of a pipe unless `flags` has O_NONBLOCK.
  init(ofAnyKind path: String, _ flags: Int32 = 0) throws(SafelightError) {
    self.path = path
    descriptor = uninterrupted { unsafe open(path, O_RDONLY | O_CLOEXEC | flags) }
    guard descriptor >= 0 else { throw cannotOpen(path, code: errno) }
    let status = FileStatus(descriptor: descriptor)
    isRegular = status?.kind == .file
    byteCount = status?.byteCount ?? 0
    if status?.kind == .folder { throw fileError(.missingInput, path, cannotBe: "read", code: EISDIR) }
  }

  deinit { close(descriptor) }

  /// Reads what comes next, at most `count` bytes; none at the end. The file stays open until then.
  func readPart(atMost count: Int) throws(SafelightError) -> [UInt8] {
    try SafelightFrames.readPart(descriptor, atMost: count, path: path)
  }

  /// Reads the bytes of `range`. Throws a ``SafelightError`` of kind `transfer` if that fails, or if the file has
  /// become shorter.
  package func read(_ range: Range<Int>) throws(SafelightError) -> [UInt8] {
    var code: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, initialized in
      while initialized < range.count {
        let count = uninterrupted {
          unsafe pread(
            descriptor, buffer.baseAddress?.advanced(by: initialized), range.count - initialized,
            range.lowerBound + initialized)
        }
        if count <= 0 {
          code = count < 0 ? errno : 0
          break
        }
        initialized += count
      }
    }
    if code != 0 { throw fileError(.transfer, path, cannotBe: "read", code: code) }
    try ensure(
      bytes.count == range.count, .transfer, path, why: "it became shorter while it was read",
      remedy: "run it again when no program writes to it")
    return bytes
  }
}

/// Returns the SHA-256 hash of the file at `path`, reading it in parts; pipes and devices are read to their end. Throws
/// a ``SafelightError`` of kind `missingInput` if it cannot be opened, `transfer` if reading fails halfway.
package func hash(ofFileAt path: String) throws -> [UInt8] {
  let file = try OpenedFile(ofAnyKind: path)
  var hash = SHA256()
  while true {
    let part = try file.readPart(atMost: 1 << 20)
    if part.isEmpty { return hash.finalize() }
    hash.update(part)
  }
}

/// A format of files that are not PNGs, for messages.
struct FileFormat {
  /// A name such as `a JPEG picture` or `text`.
  let name: String
  /// The suffix of files that ffmpeg opens by it; nil if it opens none.
  let suffix: String?

  private static let beginnings: [(magic: [UInt8], name: String, suffix: String?)] = [
    (PNGSignature.bytes, "a PNG picture", "png"),
    ([0xFF, 0xD8, 0xFF], "a JPEG picture", "jpg"),
    (Array("GIF8".utf8), "a GIF picture", "gif"),
    (Array("BM".utf8), "a BMP picture", "bmp"),
    ([0x49, 0x49, 0x2A, 0x00], "a TIFF picture", "tiff"),
    ([0x4D, 0x4D, 0x00, 0x2A], "a TIFF picture", "tiff"),
    (Array("RIFF".utf8), "a RIFF container (WebP, AVI)", nil),
    (Array("YUV4MPEG2".utf8), "Y4M video", "y4m"),
    (Array("nut/multimedia".utf8), "a NUT film", "nut"),
    ([0x1A, 0x45, 0xDF, 0xA3], "a Matroska film (MKV, WebM)", "mkv"),
    ([0x76, 0x2F, 0x31, 0x01], "an OpenEXR picture", nil),
    ([0x8A, 0x4D, 0x4E, 0x47], "an MNG animation", nil),
    ([0x8B, 0x4A, 0x4E, 0x47], "a JNG picture", nil),
    ([0x1F, 0x8B], "gzip-compressed data", nil),
    (Array("%PDF".utf8), "a PDF document", nil),
  ]

  /// Recognizes a file by its beginning; nil if it is unknown.
  init?(of file: [UInt8]) {
    let beginning = file.prefix(512)
    if let known = Self.beginnings.first(where: { file.starts(with: $0.magic) }) {
      (name, suffix) = (known.name, known.suffix)
    } else if file.dropFirst(4).starts(with: "ftyp".utf8) {
      // ISO/IEC 14496-12: the length of a box precedes its name.
      (name, suffix) = ("an MP4 or QuickTime film", "mp4")
    } else if beginning.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) {
      (name, suffix) = ("text", nil)
    } else {
      return nil
    }
  }
}

/// The placeholder for a file that Git LFS has not fetched: a text whose first line names its specification.
///
/// https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
package enum GitLFSPointer {
  private static let beginning = Array("version https://git-lfs.github.com/spec/v1".utf8)

  package static let remedy = "run git lfs pull"

  package static func isPointer(_ file: [UInt8]) -> Bool { file.starts(with: beginning) }
}
