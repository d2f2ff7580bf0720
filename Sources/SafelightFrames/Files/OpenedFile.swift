import Glibc
import SafelightImage

/// A file on a disk, of which any part can be read at any time, from any thread.
final class OpenedFile: Sendable {
  let path: String
  let descriptor: Int32
  /// As it was opened.
  let byteCount: Int

  /// Throws a ``SafelightError`` of kind `missingInput` where it cannot be opened, `input` where it is a device, pipe
  /// or socket.
  init(_ path: String) throws(SafelightError) {
    let descriptor = uninterrupted { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { throw cannotOpen(path, code: errno) }
    guard let status = FileStatus(descriptor: descriptor), status.kind == .file else {
      let isFolder = FileStatus(descriptor: descriptor)?.kind == .folder
      close(descriptor)
      throw isFolder ? fileError(.missingInput, path, cannotBe: "read", code: EISDIR) : Folder.notAFile(path)
    }
    self.path = path
    self.descriptor = descriptor
    byteCount = status.byteCount
  }

  deinit { close(descriptor) }

  /// Reads the bytes of `range`.
  ///
  /// Throws a ``SafelightError`` of kind `transfer` where that fails, or where the file has become shorter.
  func read(_ range: Range<Int>) throws(SafelightError) -> [UInt8] {
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
    guard bytes.count == range.count else {
      throw SafelightError(
        .transfer, path, why: "it became shorter while it was read", remedy: "run it again when nothing writes it")
    }
    return bytes
  }
}

/// SHA-256 of what is in the file at `path`, of which only a part is in memory at a time; pipes and devices are read to
/// their end.
///
/// Throws a ``SafelightError`` of kind `missingInput` where it cannot be opened, `transfer` where reading fails
/// half-way.
package func hash(ofFileAt path: String) throws -> [UInt8] {
  let descriptor = uninterrupted { unsafe open(path, O_RDONLY | O_CLOEXEC) }
  guard descriptor >= 0 else { throw cannotOpen(path, code: errno) }
  defer { close(descriptor) }
  var hash = SHA256()
  while true {
    let part = try readPart(descriptor, atMost: 1 << 20, path: path)
    if part.isEmpty { return hash.finalize() }
    hash.update(part)
  }
}
