import Glibc
import SafelightImage

/// Reads the whole file at `path`, at most `limit` bytes; pipes and devices are read to their end.
///
/// Throws a ``SafelightError`` of kind `missingInput` where it cannot be opened, `transfer` where reading fails
/// half-way, and `input` where it is larger than `limit`.
public func readFile(_ path: String, limit: Int = 1 << 32) throws -> [UInt8] {
  let descriptor = uninterrupted { unsafe open(path, O_RDONLY | O_CLOEXEC) }
  guard descriptor >= 0 else { throw cannotOpen(path, code: errno) }
  defer { close(descriptor) }
  guard let status = FileStatus(descriptor: descriptor) else {
    throw fileError(.transfer, path, cannotBe: "read", code: errno)
  }
  if status.kind == .folder { throw fileError(.missingInput, path, cannotBe: "read", code: EISDIR) }

  var portion = status.kind == .file ? room(for: min(status.byteCount, limit)) : 1 << 16
  var bytes: [UInt8] = []
  while true {
    let part = try readPart(descriptor, atMost: portion, path: path)
    if part.isEmpty { return bytes }
    if part.count > limit - bytes.count {
      throw SafelightError(
        .input, path, why: "it is larger than \(limit) bytes, the set limit", remedy: "name a smaller file")
    }
    // The first part of a file is nearly always all of it: no copy.
    if bytes.isEmpty { bytes = part } else { bytes += part }
    portion = 1 << 16
  }
}

/// The same for what must lie on a disk: a pipe would be waited for, perhaps for ever.
///
/// Throws a ``SafelightError`` of kind `input` where it is a pipe, device or socket, and what ``readFile(_:limit:)`` throws.
package func readRegularFile(_ path: String, limit: Int = 1 << 32) throws -> [UInt8] {
  if FileStatus(path)?.kind == .special { throw Folder.notAFile(path) }
  return try readFile(path, limit: limit)
}

/// One more than the bytes of a file, so that one read finds its end as well; a file that grows meanwhile is read on.
///
/// Large files take whole MiB: frames of nearly one size then fit where the last one was, and memory grows little over thousands: from 224 MiB
/// to between 235 and 243, not to 257, over 5000 frames of 1080p.
private func room(for byteCount: Int) -> Int {
  let unit = 1 << 20
  return byteCount < unit ? byteCount + 1 : (byteCount / unit + 1) * unit
}

/// Reads up to `count` bytes from the beginning of the file at `path`.
package func readBeginning(_ path: String, count: Int) throws -> [UInt8] {
  let descriptor = uninterrupted { unsafe open(path, O_RDONLY | O_CLOEXEC) }
  guard descriptor >= 0 else { throw fileError(.missingInput, path, cannotBe: "opened", code: errno) }
  defer { close(descriptor) }
  return try readPart(descriptor, atMost: count, path: path)
}

func readPart(_ descriptor: Int32, atMost count: Int, path: String) throws -> [UInt8] {
  var code: Int32 = 0
  let part = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
    let result = uninterrupted { unsafe read(descriptor, buffer.baseAddress, buffer.count) }
    code = result < 0 ? errno : 0
    initialized = max(0, result)
  }
  if code != 0 { throw fileError(.transfer, path, cannotBe: "read", code: code) }
  return part
}

/// Why there is nothing to read at `path`; of a link it is said where it leads.
func cannotOpen(_ path: String, code: Int32) -> SafelightError {
  guard code == ENOENT, let target = FileStatus.linkTarget(path) else {
    return fileError(.missingInput, path, cannotBe: "opened", code: code)
  }
  return SafelightError(
    .missingInput, path, why: "it is a link to \(target), and nothing is there",
    remedy: "see whether the disk is mounted")
}

/// True where a file, or a link to one, stands at `path`.
package func isFile(_ path: String) -> Bool { FileStatus(path)?.kind == .file }

/// True when there is something at `path`.
public func fileExists(_ path: String) -> Bool { FileStatus(path) != nil }
