internal import CPNGRows
package import SafelightImage
internal import Synchronization

/// Writes a PNG file from the top down, some rows at a time, whole or not at all: the bytes that ``PNGEncoder`` makes
/// of a picture that it writes row by row.
package final class PNGRowWriter: Sendable {
  private struct State: ~Copyable {
    var file: AtomicFile?
    var encoder: PNGRowEncoder
    /// Nil where nobody wants it.
    var hash: PixelHash?
  }

  private let state: Mutex<State>

  /// Begins the file at `path` for `picture`; with `hashing`, ``finish()`` tells its
  /// ``SafelightImage/Image/pixelHash``.
  ///
  /// Throws what ``PNGFile/write(to:compression:codec:)-(String,_,_)`` does.
  package init(
    to path: String, _ picture: ImageDescriptor, metadata: PNGMetadata, compression: PNGCompression, hashing: Bool
  ) throws {
    let encoder: PNGRowEncoder
    do {
      encoder = try PNGRowEncoder(picture, CPNGForm(picture), PNGSurroundings(picture, metadata), compression)
    } catch let error as SafelightError {
      throw error.during(path)
    }
    let file = try AtomicFile(path: path)
    state = Mutex(State(file: file, encoder: encoder, hash: hashing ? PixelHash(picture) : nil))
  }

  /// Appends the next rows.
  package func append(_ rows: Image) throws {
    try state.withLock { state in
      try state.file?.write(state.encoder.encode(rows.bytes))
      state.hash?.update(rows)
    }
  }

  /// Removes what was written so far, unless the file has its name already.
  package func abandon() {
    state.withLock { state in
      // The file's own end removes it.
      state.file = nil
    }
  }

  /// Gives the file its name, once it has all rows; returns the hash of its pixels.
  package func finish() throws -> String? {
    try state.withLock { state in
      if let file = state.file.take() { try file.commit() }
      return state.hash.take()?.finalize()
    }
  }
}
