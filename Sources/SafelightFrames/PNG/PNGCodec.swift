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
  /// The libraries that do the work. They give the same pixels, and reject the same files.
  public enum Backend: String, Sendable, CaseIterable {
    /// The fastest: libdeflate, and ISA-L for `fast` if the package was built with it; libpng for interlaced, damaged
    /// or huge files.
    case auto
    /// The same without ISA-L: files are the same on every machine with the same libraries.
    case libdeflate
    /// libpng and zlib for everything, row by row.
    case libpng
  }

  /// The libraries that do the work.
  public let backend: Backend

  private let idle = Mutex<[PNGWorkspace]>([])

  /// Makes a codec; memory is allocated when it is used.
  public convenience init(_ backend: Backend = .auto) {
    self.init(backend, largestInflated: 1 << 30, largestWrittenWhole: 1 << 28)
  }

  package init(_ backend: Backend, largestInflated: Int = 1 << 30, largestWrittenWhole: Int) {
    self.backend = backend
    self.largestInflated = largestInflated
    self.largestWrittenWhole = largestWrittenWhole
  }

  /// A warning about the backend for people; nil if there is none.
  public var warning: String? {
    guard backend == .auto, ISALDeflater.isBuiltIn, !ISALDeflater.isSound else { return nil }
    return "ISA-L does not compress soundly on this machine; libdeflate does it, which takes longer"
  }

  /// Returns the libraries that compress pictures with `compression`, on which the bytes of a file depend, besides the
  /// pixels and the effort.
  package func folding(_ compression: PNGCompression) -> String {
    guard backend != .libpng, let effort = compression.effort else { return "zlib" }
    let usesISAL = backend == .auto && effort.mayUseISAL && ISALDeflater.isBuiltIn && ISALDeflater.isSound
    return usesISAL ? "libdeflate, ISA-L" : "libdeflate"
  }

  /// The most bytes of decompressed rows that are read or written at once; larger pictures are processed row by row by
  /// libpng.
  package let largestInflated: Int

  /// The most bytes in memory of a picture that is written at once. Larger ones are written row by row by libpng, and
  /// memory holds only rows if no filter needs the whole picture. The choice depends only on the size and the filters,
  /// since a file must not depend on it; but smaller pictures too are written so where memory does not suffice.
  ///
  /// It is above every frame of 7680×4320, also of 16 bits and four channels (265 MB); larger pictures would need more
  /// than a gigabyte on the way.
  package let largestWrittenWhole: Int

  /// A codec that writes at once whatever it would read at once, for pictures that are wholly in memory anyway: libpng
  /// takes longer.
  package var writingWhole: PNGCodec { PNGCodec(backend, largestInflated: largestInflated, largestWrittenWhole: .max) }

  /// Runs `body` with a workspace that no other thread uses meanwhile.
  func withWorkspace<Result>(_ body: (PNGWorkspace) throws -> Result) rethrows -> Result {
    let workspace = idle.withLock { $0.popLast() } ?? PNGWorkspace()
    defer { idle.withLock { $0.append(workspace) } }
    return try body(workspace)
  }
}

/// The effort of the encoder to make a file small; the pixels are the same.
public enum PNGCompression: String, Sendable, CaseIterable {
  /// No compression, for scratch disks.
  case store
  /// Smaller than OpenCV's files on photographs, in a third of its time, and without ISA-L in two thirds; the page PNG
  /// has the figures.
  case fast
  /// As small as PNG writers usually make files, in half their time.
  case balanced
  /// As small as an exhaustive deflate encoder makes files, however long that takes.
  case small

  /// The row filter, libdeflate's level, and whether ISA-L may compress instead, for whole pictures.
  ///
  /// Nil for `balanced`, which zlib compresses: with its strategy for filtered bytes it skips short repetitions, while
  /// libdeflate, below level 10, makes files 2 % larger or takes longer.
  var effort: (filter: CPNGFilter, level: Int32, mayUseISAL: Bool)? {
    switch self {
    case .store: (CPNG_FILTER_NONE, 0, false)
    case .fast: (CPNG_FILTER_PAETH, 1, true)
    case .balanced: nil
    case .small: (CPNG_FILTER_ALL, 12, false)
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
  private var isal: ISALDeflater?
  private var memory = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)

  package init() {}

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

  /// Compresses `bytes` into `target` with libdeflate at `level`, or with ISA-L if that is requested, sound, and the
  /// result fits. Returns the length; nil if memory is exhausted.
  package func deflate(
    _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer, level: Int32, byISAL: Bool
  ) -> Int? {
    if byISAL, ISALDeflater.isSound {
      isal = isal ?? ISALDeflater()
      if let count = unsafe isal?.deflate(bytes, into: target) { return count }
    }
    deflaters[level] = deflaters[level] ?? Deflater(level: level)
    return unsafe deflaters[level]?.deflate(bytes, into: target)
  }
}
