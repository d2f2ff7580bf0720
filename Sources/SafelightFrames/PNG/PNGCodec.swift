internal import CPNGRows
internal import CPNGShim
import Glibc
import SafelightImage
internal import Synchronization

/// The tables and the memory that decoding and encoding reuse from one picture to the next.
///
/// Any number of threads may share one; it grows with the number of simultaneous users, and frees everything when
/// deallocated. A run of frames keeps one; a single picture may as well use a new one.
public final class PNGCodec: Sendable {
  /// Who does the work. All give the same pixels, and reject the same files.
  public enum Backend: String, Sendable, CaseIterable {
    /// The fastest: libdeflate reads, and writes `store` and `small`; the package's own compressor writes `fast`, and
    /// libpng `balanced`. Interlaced, damaged and huge files are libpng's.
    case auto
    /// libpng and zlib for everything, row by row.
    case libpng
  }

  /// Who does the work.
  public let backend: Backend

  private let idle = Mutex<[PNGWorkspace]>([])

  /// Makes a codec; memory is allocated when it is used.
  public convenience init(_ backend: Backend = .auto) {
    self.init(backend, largestInflated: 1 << 30)
  }

  /// Makes a codec with limits of its own; `level` chooses the instructions, 0 being the fastest of ``levels``.
  package init(_ backend: Backend, largestInflated: Int = 1 << 30, largestWrittenWhole: Int = 1 << 28, level: Int = 0) {
    self.backend = backend
    self.largestInflated = largestInflated
    self.largestWrittenWhole = largestWrittenWhole
    self.level = level
  }

  private let level: Int

  /// The sets of instructions for which the compressor of `fast` is made and which this processor has, the fastest
  /// first.
  package static var levels: [String] {
    var names: [String] = []
    while let level = unsafe cpng_level(names.count) { unsafe names.append(String(cString: cpng_level_name(level))) }
    return names
  }

  /// Returns what compresses pictures with `compression`, on which the bytes of a file depend, besides the pixels and
  /// the effort.
  package func folding(_ compression: PNGCompression) -> String {
    if encodesBlocks(compression) { return "blocks 1" }
    return backend == .libpng || compression == .balanced ? "zlib" : "libdeflate"
  }

  /// Returns whether the package's own compressor writes `compression`, for which rows may come some at a time.
  package func encodesBlocks(_ compression: PNGCompression) -> Bool { compression == .fast && backend != .libpng }

  /// The most bytes of decompressed rows that libdeflate reads or writes at once; larger pictures are libpng's, row by
  /// row.
  package let largestInflated: Int

  /// The most bytes in memory of a picture that libdeflate writes at once. Larger ones are written row by row by
  /// libpng, and memory holds only rows if no filter needs the whole picture. The choice depends only on the size and
  /// the filters, since a file must not depend on it; but smaller pictures too are written so where memory does not
  /// suffice. Files of ``PNGCompression/fast`` are the same either way.
  ///
  /// It is above every frame of 7680×4320, also of 16 bits and four channels (265 MB); larger pictures would need more
  /// than a gigabyte on the way.
  package let largestWrittenWhole: Int

  /// A codec that writes at once whatever it would read at once, for pictures that are wholly in memory anyway: libpng
  /// takes longer.
  package var writingWhole: PNGCodec {
    PNGCodec(backend, largestInflated: largestInflated, largestWrittenWhole: .max, level: level)
  }

  /// Makes the memory in which a picture is encoded over some time; nil if memory is exhausted.
  func makeBlockMemory() -> PNGBlockMemory? { PNGBlockMemory(level: level) }

  /// Runs `body` with a workspace that no other thread uses meanwhile.
  func withWorkspace<Result>(_ body: (PNGWorkspace) throws -> Result) rethrows -> Result {
    let workspace = idle.withLock { $0.popLast() } ?? PNGWorkspace(level: level)
    defer { idle.withLock { $0.append(workspace) } }
    return try body(workspace)
  }
}

/// The effort of the encoder to make a file small; the pixels are the same.
public enum PNGCompression: String, Sendable, CaseIterable {
  /// No compression, for scratch disks.
  case store
  /// Smaller than OpenCV's files, in a twelfth of its time, and the same on every machine; the page PNG has the
  /// figures.
  case fast
  /// As small as PNG writers usually make files, in half their time.
  case balanced
  /// As small as an exhaustive deflate encoder makes files, however long that takes.
  case small

  /// The row filter and libdeflate's level, for whole pictures; nil where another compressor makes the effort.
  ///
  /// `balanced` is zlib's: with its strategy for filtered bytes it skips short repetitions, while libdeflate, below
  /// level 10, makes files 2 % larger or takes longer.
  var effort: (filter: CPNGFilter, level: Int32)? {
    switch self {
    case .store: (CPNG_FILTER_NONE, 0)
    case .fast, .balanced: nil
    case .small: (CPNG_FILTER_ALL, 12)
    }
  }

  /// The effort of libpng, in zlib's levels.
  var effortOfLibPNG: CPNGEffort {
    switch self {
    case .store: CPNGEffort(level: 0, filter: CPNG_FILTER_NONE)
    case .fast: CPNGEffort(level: 1, filter: CPNG_FILTER_SUB)
    case .balanced: CPNGEffort(level: 4, filter: CPNG_FILTER_PAETH)
    case .small: CPNGEffort(level: 9, filter: CPNG_FILTER_ALL)
    }
  }
}

extension CPNGSampleType {
  /// Returns the filter to use: pixels that share a byte gain nothing from one (PNG 12.7).
  func filter(_ wanted: CPNGFilter) -> CPNGFilter { bit_depth < 8 ? CPNG_FILTER_NONE : wanted }
}

enum PNGReport {
  /// Runs `operation` with buffers for libpng's messages; returns its result and libpng's warnings. Throws an error of
  /// kind `refusal` about `name` if it fails.
  static func collect<Result>(
    name: String, refusal: SafelightError.Kind, _ operation: (CPNGReport) throws -> (Result, CPNGStatus)
  ) throws -> (Result, [String]) {
    var message = [CChar](repeating: 0, count: 256)
    var warnings = [CChar](repeating: 0, count: 1024)
    let (result, status) = try unsafe message.withUnsafeMutableBufferPointer { message in
      try unsafe warnings.withUnsafeMutableBufferPointer { warnings in
        try unsafe operation(
          CPNGReport(
            message: message.baseAddress, message_capacity: message.count,
            warnings: warnings.baseAddress, warnings_capacity: warnings.count))
      }
    }
    switch status {
    case CPNG_DONE: return (result, text(warnings).split(separator: "\n").map(String.init))
    case CPNG_NO_MEMORY: throw noMemory(for: name)
    default:
      throw SafelightError(
        refusal, name, why: "libpng rejected it: \(text(message))",
        remedy: refusal == .input ? "write or copy the file again" : nil)
    }
  }

  /// Returns the `byteCount` bytes that `decode` writes, and libpng's warnings. Throws an error of kind `input` about
  /// `name` if it fails.
  static func decode(
    _ byteCount: Int, name: String, _ decode: (UnsafeMutablePointer<UInt8>?, CPNGReport) -> CPNGStatus
  ) throws -> (pixels: [UInt8], remarks: [String]) {
    try unsafe collect(name: name, refusal: .input) { report in
      var status = CPNG_DONE
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initialized in
        status = unsafe decode(buffer.baseAddress, report)
        // After a failure the array is discarded, so none of its memory counts as initialized.
        initialized = status == CPNG_DONE ? byteCount : 0
      }
      return (bytes, status)
    }
  }

  static func noMemory(for name: String) -> SafelightError {
    SafelightError(.limit, name, why: "there is not enough memory for it", remedy: "process fewer frames at a time")
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// The memory that one thread needs to decode or encode a picture, kept for the next one.
///
/// `@unchecked Sendable`: a codec lends it to one caller at a time, and takes it back through a lock.
@safe package final class PNGWorkspace: @unchecked Sendable {
  private var inflater: Inflater?
  private var deflaters: [Int32: Deflater] = [:]
  private var blocks: PNGBlockMemory?
  private var memory = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)

  let level: Int

  init(level: Int) { self.level = level }

  deinit { unsafe free(memory.baseAddress) }

  /// Returns `count` bytes of any contents, valid until the next call; nil if memory is exhausted.
  func scratch(_ count: Int) -> UnsafeMutableRawBufferPointer? {
    if unsafe memory.count < count {
      // Not realloc: the contents are not worth a copy.
      unsafe free(memory.baseAddress)
      unsafe memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
      guard let start = unsafe malloc(count) else { return nil }
      unsafe memory = UnsafeMutableRawBufferPointer(start: start, count: count)
    }
    return unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
  }

  /// Decompresses like ``Inflater/inflate(_:into:)``; also returns false if memory is exhausted.
  func inflate(_ stream: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
    inflater = inflater ?? Inflater()
    return unsafe inflater?.inflate(stream, into: target) ?? false
  }

  /// Compresses `bytes` into `target` with libdeflate at `level`. Returns the length; nil if memory is exhausted.
  func deflate(
    _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, level: Int32
  ) -> Int? {
    deflaters[level] = deflaters[level] ?? Deflater(level: level)
    return unsafe deflaters[level]?.deflate(bytes, into: target)
  }

  /// The memory of ``PNGBlockEncoder``; nil if memory is exhausted.
  func blockMemory() -> PNGBlockMemory? {
    blocks = blocks ?? PNGBlockMemory(level: level)
    return blocks
  }
}
