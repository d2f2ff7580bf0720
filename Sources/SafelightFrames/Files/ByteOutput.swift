import Glibc
import SafelightImage

/// Bytes on their way to a file, which appears whole or not at all, or into a pipe.
struct ByteOutput: ~Copyable {
  private let name: String
  private var file: AtomicFile?
  private let descriptor: Int32
  /// True where the descriptor was opened here.
  private let isOwned: Bool

  /// Throws a ``SafelightError`` of kind `output` where it cannot be created or opened.
  init(_ place: FilmPlace) throws(SafelightError) {
    switch place {
    case .descriptor(let descriptor, let name):
      self.init(name: name, file: nil, descriptor: descriptor, isOwned: false)
    case .file(let path) where FileStatus(path)?.kind == .special:
      let descriptor = uninterrupted { unsafe open(path, O_WRONLY | O_CLOEXEC) }
      guard descriptor >= 0 else { throw fileError(.output, path, cannotBe: "opened", code: errno) }
      self.init(name: path, file: nil, descriptor: descriptor, isOwned: true)
    case .file(let path):
      self.init(name: path, file: try AtomicFile(path: path), descriptor: -1, isOwned: false)
    }
  }

  private init(name: String, file: consuming AtomicFile?, descriptor: Int32, isOwned: Bool) {
    self.name = name
    self.file = file
    self.descriptor = descriptor
    self.isOwned = isOwned
  }

  deinit {
    if isOwned && descriptor >= 0 { close(descriptor) }
  }

  /// Appends `bytes`; waits where the reader of a pipe does.
  ///
  /// Throws a ``SafelightError`` of kind `transfer` where they cannot be written.
  mutating func write(_ bytes: [UInt8]) throws(SafelightError) {
    if file != nil {
      try file?.write(bytes)
    } else if let code = writeAll(bytes, to: descriptor) {
      throw fileError(.transfer, name, cannotBe: "written", code: code)
    }
  }

  /// Gives a file its name.
  mutating func finish() throws(SafelightError) {
    if let file = file.take() { try file.commit() }
  }
}
