internal import CPNGRows
internal import CPNGShim
package import SafelightImage
internal import Synchronization

/// The picture that a PNG file describes before its pixels.
package struct PNGOutline: Sendable {
  /// The picture, without its samples.
  package let picture: ImageDescriptor
  /// True if the picture can be read row by row: it is not interlaced, and not gray of fewer than 8 bits.
  package let isInRows: Bool
  /// The turn that its Exif data asks for, where that was looked for.
  package let orientation: Orientation
  /// The length of the file.
  package let fileByteCount: Int

  /// Reads the beginning of the file at `path`; nil if it can be read only once, or not within `limits`, as its decoder
  /// will explain. With `findsExif` chunks behind the pixels are looked at too.
  package init?(_ path: String, limits: PNGLimits, findsExif: Bool = false) {
    guard FileStatus(path)?.kind == .file, let file = try? OpenedFile(path),
      let contents = try? PNGContents(scanning: .file(file), name: path, limits: limits, beforePixels: !findsExif),
      limits.admits(contents.header.size)
    else { return nil }
    picture = contents.picture
    isInRows =
      !contents.header.isInterlaced && (contents.header.colorType != .gray || contents.header.bitDepth >= 8)
    orientation = contents.metadata.orientation
    fileByteCount = file.byteCount
  }
}

/// Reads a PNG file from the top down, some rows at a time; memory holds neither the whole file nor the whole picture.
package final class PNGRowReader: Sendable {
  /// The picture, without its samples.
  package let picture: ImageDescriptor
  package let metadata: PNGMetadata

  /// libpng's state, for one caller at a time.
  @safe private struct State: ~Copyable {
    let reader: OpaquePointer
    var nextRow = 0
    var warnings: [String]

    deinit { unsafe cpng_reader_release(reader) }

    /// Decodes the next rows, described by `band`; errors call the file `path`.
    func decode(_ band: ImageDescriptor, _ path: String) throws -> (pixels: [UInt8], remarks: [String]) {
      let byteCount = band.size.area * band.pixelFormat.bytesPerPixel
      do {
        return try unsafe PNGReport.decode(byteCount, name: path) { rows, report in
          unsafe cpng_reader_rows(reader, rows, UInt32(band.size.height), report)
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

  /// The file's path.
  package var path: String { file.path }
  /// The file as it was when it was opened.
  private let status: FileStatus?

  /// Throws unless the file at the path is still the one that was opened, as it was then.
  package func checkIsUnchanged() throws(SafelightError) {
    try ensure(
      status != nil && status?.version == FileStatus(path)?.version, .input, path,
      why: "it was written or replaced while it was read", remedy: "run again once nothing writes to it")
  }

  /// Opens the file at `path`, which must not be interlaced.
  ///
  /// - Throws: The errors of ``PNGFile/init(reading:limits:codec:)``, except for damage in the pixels.
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
    status = FileStatus(descriptor: file.descriptor)
    picture = contents.picture
    metadata = contents.metadata
  }

  /// The warnings up to the last row that was read, one sentence each.
  package var warnings: [String] { state.withLock { $0.warnings } }

  /// Returns the next `count` rows, or the remaining ones, as a picture of their own; nil after the last. After an
  /// error no more can be read.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if they are damaged, `transfer` if the file cannot be read.
  package func rows(_ count: Int) throws -> Image? {
    try state.withLock { state in
      let count = min(count, picture.size.height - state.nextRow)
      guard count > 0 else { return nil }
      let band = picture.ofRows(count)
      let (bytes, remarks) = try state.decode(band, file.path)
      state.nextRow += count
      state.warnings += remarks
      return Image(band, bytes: bytes)
    }
  }
}

/// The rows of a file that a band needs; bands may share some.
package final class PNGRowWindow: Sendable {
  package let reader: PNGRowReader
  /// The last rows that were asked for, and the first of them.
  private let held = Mutex<(first: Int, bytes: [UInt8])>((0, []))

  package init(_ reader: PNGRowReader) { self.reader = reader }

  /// Returns `rows` as a picture of their own. Neither end may lie above that of the call before.
  ///
  /// - Throws: The errors of ``PNGRowReader/rows(_:)``.
  package func rows(_ rows: Range<Int>) throws -> Image {
    try held.withLock { held in
      let picture = reader.picture
      let bytesPerRow = picture.bytesPerRow
      var end = held.first + held.bytes.count / bytesPerRow
      trap(
        unless: rows.lowerBound >= held.first && rows.upperBound >= end && rows.upperBound <= picture.size.height,
        "rows \(rows) are asked for after rows \(held.first)..<\(end)")
      var bytes = Array(held.bytes.dropFirst((rows.lowerBound - held.first) * bytesPerRow))
      held.bytes = []
      bytes.reserveCapacity(rows.count * bytesPerRow)
      while end < rows.upperBound {
        // Rows that no band needs are read too, a few at a time.
        let isSkipped = end < rows.lowerBound
        let count = isSkipped ? min(rows.lowerBound - end, 64) : rows.upperBound - end
        guard let next = try reader.rows(count) else { break }
        if !isSkipped { bytes += next.bytes }
        end += count
      }
      held = (rows.lowerBound, bytes)
      return Image(picture.ofRows(rows.count), bytes: bytes)
    }
  }

  /// Reads what follows the last rows, so that damage there is found too.
  package func finish() throws { while try reader.rows(64) != nil {} }
}

/// Writes a PNG file from the top down, some rows at a time, whole or not at all, with the bytes that ``PNGEncoder``
/// gives pictures that it writes row by row.
package final class PNGRowWriter: Sendable {
  private struct State: ~Copyable {
    var file: AtomicFile?
    var encoder: PNGRowEncoder
    /// The hash of the rows; nil if it was not requested.
    var hash: PixelHash?
  }

  private let state: Mutex<State>

  /// Begins the file at `path` for `picture`; with `hashing`, ``finish()`` returns its
  /// ``SafelightImage/Image/pixelHash``.
  ///
  /// - Throws: The errors of ``PNGFile/write(to:compression:codec:)-(String,_,_)``.
  package init(
    to path: String, _ picture: ImageDescriptor, metadata: PNGMetadata, compression: PNGCompression,
    codec: PNGCodec = PNGCodec(), hashing: Bool
  ) throws {
    let encoder: PNGRowEncoder
    do {
      encoder = try PNGRowEncoder(
        picture, CPNGSampleType(picture), PNGSurroundings(picture, metadata), compression, by: codec,
        in: codec.makeBlockMemory())
    } catch let error as SafelightError {
      throw error.during(path)
    }
    let file = try AtomicFile(path: path)
    state = Mutex(State(file: file, encoder: encoder, hash: hashing ? PixelHash(picture) : nil))
  }

  package func append(_ rows: Image) throws {
    try state.withLock { state in
      try state.file?.write(state.encoder.encode(rows.bytes))
      state.hash?.update(rows)
    }
  }

  /// Removes the unfinished file, unless it has its name already.
  package func abandon() { state.withLock { $0.file = nil } }

  /// Gives the file its name, once it has all rows; returns the hash of its pixels.
  package func finish() throws -> String? {
    try state.withLock { state in
      if let file = state.file.take() { try file.commit() }
      return state.hash.take()?.finalize()
    }
  }
}
