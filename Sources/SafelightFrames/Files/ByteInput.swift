import Glibc
import SafelightImage
import Synchronization

/// Bytes from a file, a pipe or a device, as they come. Whoever reads blocks, until ``stop()`` at the latest.
final class ByteInput: Sendable {
  let name: String
  /// True where it can be opened again and begins anew.
  let isFile: Bool
  private let descriptor: Int32
  private let isOwned: Bool
  /// What is written here is seen by whoever waits.
  private let stopped: ConnectedDescriptors
  private let buffer = Mutex(Buffer())

  private struct Buffer {
    var bytes: [UInt8] = []
    var position = 0

    var rest: ArraySlice<UInt8> { bytes[position...] }
  }

  /// Throws a ``SafelightError`` of kind `missingInput` where it cannot be opened.
  init(_ place: FilmPlace) throws(SafelightError) {
    name = place.name
    switch place {
    case .descriptor(let descriptor, _):
      (self.descriptor, isOwned, isFile) = (descriptor, false, false)
    case .file(let path):
      // A pipe that nobody writes yet is waited for below, where the wait can be ended.
      let descriptor = uninterrupted { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
      guard descriptor >= 0, fcntl(descriptor, F_SETFL, 0) >= 0 else {
        throw fileError(.missingInput, path, cannotBe: "opened", code: errno)
      }
      let kind = FileStatus(descriptor: descriptor)?.kind
      guard kind != .folder else {
        close(descriptor)
        throw fileError(.missingInput, path, cannotBe: "read", code: EISDIR)
      }
      (self.descriptor, isOwned, isFile) = (descriptor, true, kind == .file)
    }
    do {
      stopped = try ConnectedDescriptors(for: place.name)
    } catch {
      if isOwned { close(descriptor) }
      throw error
    }
  }

  deinit {
    if isOwned { close(descriptor) }
    close(stopped.read)
    close(stopped.write)
  }

  /// From now on there is nothing more to read; for any thread.
  func stop() { _ = writeAll([0], to: stopped.write) }

  /// Appends the next `count` bytes to `bytes`, fewer where the input ends before; how many.
  ///
  /// Throws a ``SafelightError`` of kind `transfer` where reading fails.
  func read(_ count: Int, into bytes: inout [UInt8]) throws(SafelightError) -> Int {
    try buffer.withLock { (buffer) throws(SafelightError) in
      var missing = count
      while missing > 0, try fill(&buffer) {
        let part = buffer.rest.prefix(missing)
        bytes += part
        buffer.position += part.count
        missing -= part.count
      }
      return count - missing
    }
  }

  /// The next `count` bytes, fewer where the input ends before; they stay the next.
  func peek(_ count: Int) throws(SafelightError) -> [UInt8] {
    var bytes: [UInt8] = []
    _ = try read(count, into: &bytes)
    buffer.withLock { $0 = Buffer(bytes: bytes + $0.rest) }
    return bytes
  }

  /// The next line without its end; nil where the input ends before one begins, `isWhole` false where none comes within `limit` bytes.
  func line(atMost limit: Int) throws(SafelightError) -> (bytes: [UInt8], isWhole: Bool)? {
    try buffer.withLock { (buffer) throws(SafelightError) in
      var line: [UInt8] = []
      while line.count < limit, try fill(&buffer) {
        let part = buffer.rest.prefix(limit - line.count).prefix { $0 != UInt8(ascii: "\n") }
        line += part
        buffer.position += part.count
        if buffer.rest.first == UInt8(ascii: "\n") {
          buffer.position += 1
          return (line, true)
        }
      }
      return line.isEmpty ? nil : (line, false)
    }
  }

  /// Makes sure that something is there; false at the end.
  private func fill(_ buffer: inout Buffer) throws(SafelightError) -> Bool {
    if buffer.position < buffer.bytes.count { return true }
    guard try waitForBytes() else { return false }
    var code: Int32 = 0
    buffer.position = 0
    buffer.bytes = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 18) { bytes, initialized in
      let result = uninterrupted { unsafe Glibc.read(descriptor, bytes.baseAddress, bytes.count) }
      code = result < 0 ? errno : 0
      initialized = max(0, result)
    }
    if code != 0 { throw fileError(.transfer, name, cannotBe: "read", code: code) }
    return !buffer.bytes.isEmpty
  }

  /// False once it is stopped.
  private func waitForBytes() throws(SafelightError) -> Bool {
    var waiting = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stopped.read, events: Int16(POLLIN), revents: 0),
    ]
    guard uninterrupted({ unsafe poll(&waiting, 2, -1) }) > 0 else {
      throw fileError(.transfer, name, cannotBe: "read", code: errno)
    }
    return waiting[1].revents == 0
  }
}
