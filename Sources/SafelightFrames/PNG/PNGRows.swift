internal import CPNGRows
internal import CPNGShim
package import SafelightImage
internal import Synchronization

/// Reads a PNG file from the top down, some rows at a time; neither the file nor the picture is in memory as a whole.
package final class PNGRowReader: Sendable {
  /// The picture, without its samples.
  package let picture: ImageDescriptor
  /// Colour description, physical size, Exif, texts.
  package let metadata: PNGMetadata

  /// libpng's state, for one caller at a time.
  @safe private struct State: ~Copyable {
    let reader: OpaquePointer
    var nextRow = 0
    var warnings: [String]

    deinit { unsafe cpng_reader_release(reader) }

    /// Decodes the rows of `band`, which are the next; `path` stands for the file in errors.
    func decode(_ band: ImageDescriptor, _ path: String) throws -> (bytes: [UInt8], remarks: [String]) {
      let byteCount = band.size.area * band.pixelFormat.bytesPerPixel
      do {
        return try unsafe PNGReport.collect(name: path, refusal: .input) { report in
          var status = CPNG_DONE
          let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initialized in
            status = unsafe cpng_reader_rows(reader, buffer.baseAddress, UInt32(band.size.height), report)
            initialized = status == CPNG_DONE ? byteCount : 0
          }
          return (bytes, status)
        }
      } catch {
        let code = unsafe cpng_reader_error_number(reader)
        if code != 0 { throw fileError(.transfer, path, cannotBe: "read", code: code) }
        throw error
      }
    }
  }

  private let file: OpenedFile
  private let state: Mutex<State>

  /// True where the file at `path` says that it is a picture which ``PNGEncoder`` writes row by row, and is stored so
  /// that it can be read so too: not interlaced, and not in grey of fewer than 8 bits. Whether it is sound is not
  /// looked at, nor whether it is transparent: pictures in grey that become larger by that are told by their grey
  /// alone.
  package static func isMeant(for path: String, codec: PNGCodec) -> Bool {
    // What cannot be read says so when it is.
    guard FileStatus(path)?.kind == .file, let beginning = try? readBeginning(path, count: headerEnd),
      PNGSignature.begins(beginning), beginning.count == headerEnd, beginning[8..<16] == [0, 0, 0, 13] + "IHDR".utf8,
      let header = try? PNGHeader(Array(beginning[16...]), complaint: { SafelightError(.input, path, why: $0) }),
      !header.isInterlaced, header.colorType != .gray || header.bitDepth >= 8
    else { return false }
    let format = PixelFormat(
      channels: header.channels(hasTransparency: false), depth: header.bitDepth == 16 ? .bits16 : .bits8)
    return header.size.area > codec.largestWrittenWhole / format.bytesPerPixel
  }

  private static let headerEnd = 29

  /// Opens the file at `path`, which is not interlaced.
  ///
  /// Throws what ``PNGFile/init(reading:limits:codec:)`` does, but for damage in the pixels.
  package init(_ path: String, limits: PNGLimits) throws {
    let file = try OpenedFile(path)
    let contents = try PNGDecoder.contents(of: .file(file), name: path, limits: limits)
    let ranges = contents.pixelRanges.map { CPNGRange(offset: $0.lowerBound, count: $0.count) }
    let reader = unsafe ranges.withUnsafeBufferPointer { ranges in
      let source = unsafe CPNGSource(
        bytes: nil, count: file.byteCount, descriptor: file.descriptor, ranges: ranges.baseAddress,
        range_count: ranges.count)
      return unsafe cpng_reader_create(source, contents.layout)
    }
    guard let reader = unsafe reader else { throw PNGReport.noMemory(for: path) }
    unsafe state = Mutex(State(reader: reader, warnings: contents.warnings))
    self.file = file
    picture = contents.picture
    metadata = contents.metadata
  }

  /// What was tolerated or left behind up to the last row that was read, one sentence each.
  package var warnings: [String] { state.withLock { $0.warnings } }

  /// The next `count` rows, or as many as are left, as a picture of their own; nil behind the last.
  ///
  /// Throws a ``SafelightError`` of kind `input` where they are damaged, `transfer` where the file cannot be read. Then
  /// no more can be had.
  package func rows(_ count: Int) throws -> Image? {
    try state.withLock { state in
      let count = min(count, picture.size.height - state.nextRow)
      guard count > 0 else { return nil }
      let band = ImageDescriptor(
        size: Size(picture.size.width, count), channels: picture.channels, depth: picture.depth, color: picture.color)
      let (bytes, remarks) = try state.decode(band, file.path)
      state.nextRow += count
      state.warnings += remarks
      return Image(band, bytes: bytes)
    }
  }
}

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
