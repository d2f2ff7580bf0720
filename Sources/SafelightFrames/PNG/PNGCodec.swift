internal import CPNGRows
internal import CPNGShim
import Glibc
import SafelightImage
internal import Synchronization

/// What decoding and encoding reuse from one picture to the next: tables, and memory as large as the largest picture unfolded.
///
/// One serves any number of threads; it grows with how many use it at a time, and gives all back when it goes. A run of frames keeps one; for
/// a single picture a new one does as well.
public final class PNGCodec: Sendable {
  /// Which libraries do the work. The pixels are the same, and so is what is refused.
  public enum Backend: String, Sendable, CaseIterable {
    /// The fastest: libdeflate, and where the package was built with it ISA-L for `fast`; libpng for what is interlaced, damaged or huge.
    case auto
    /// The same without ISA-L: then files are the same on every machine with the same libraries.
    case libdeflate
    /// libpng and zlib for everything, row by row.
    case libpng
  }

  /// Which libraries do the work.
  public let backend: Backend

  private let idle = Mutex<[PNGWorkspace]>([])

  /// Makes a codec; memory is taken when it is used.
  public convenience init(_ backend: Backend = .auto) {
    self.init(backend, largestUnfolded: 1 << 30, largestWrittenWhole: 1 << 28)
  }

  package init(_ backend: Backend, largestUnfolded: Int = 1 << 30, largestWrittenWhole: Int) {
    self.backend = backend
    self.largestUnfolded = largestUnfolded
    self.largestWrittenWhole = largestWrittenWhole
  }

  /// What a person should know of the backend; nil where all is as it should be.
  public var warning: String? {
    guard backend == .auto, ISALDeflater.isBuiltIn, !ISALDeflater.isSound else { return nil }
    return "ISA-L does not compress soundly on this machine; libdeflate does it, which takes longer"
  }

  /// The libraries that fold pictures with `compression`: beside the pixels and the effort, what the bytes of a file depend on.
  package func folding(_ compression: PNGCompression) -> String {
    guard backend != .libpng, let effort = compression.effort else { return "zlib" }
    let usesISAL = backend == .auto && effort.mayUseISAL && ISALDeflater.isBuiltIn && ISALDeflater.isSound
    return usesISAL ? "libdeflate, ISA-L" : "libdeflate"
  }

  /// The bytes of unfolded rows that are read or written at once; larger pictures go row by row through libpng.
  package let largestUnfolded: Int

  /// The bytes in memory of a picture that is written at once; larger ones go row by row through libpng, and where no
  /// filter needs all of the picture, rows are all that is ever in memory. A file must not depend on which of the two
  /// it was, so the size and the filters decide.
  ///
  /// Every frame of 7680×4320 is below, also that of 16 bits and four channels (265 MB), and so takes the fast way;
  /// what is above would take more than a gigabyte on the way.
  package let largestWrittenWhole: Int

  /// A codec that writes at once whatever it would read at once: for pictures that are all in memory in any case,
  /// libpng takes longer.
  package var writingWhole: PNGCodec {
    PNGCodec(backend, largestUnfolded: largestUnfolded, largestWrittenWhole: .max)
  }

  /// Runs `body` with a workspace that no one else uses meanwhile.
  func withWorkspace<Result>(_ body: (PNGWorkspace) throws -> Result) rethrows -> Result {
    let workspace = idle.withLock { $0.popLast() } ?? PNGWorkspace()
    defer { idle.withLock { $0.append(workspace) } }
    return try body(workspace)
  }
}

/// How hard the encoder works to make a file small; the pixels are the same.
public enum PNGCompression: String, Sendable, CaseIterable {
  /// Not at all: as large as the pixels, for scratch disks.
  case store
  /// Smaller than OpenCV's files on photographs, in a third of its time, and without ISA-L in two thirds; the page PNG has the figures.
  case fast
  /// As small as PNG writers usually make files, in half their time.
  case balanced
  /// As small as a deflate encoder that tries everything makes it, however long that takes.
  case small

  /// How whole pictures are filtered and folded: the row filter, libdeflate's level, and whether ISA-L may do it instead. Nil for
  /// `balanced`, which is zlib's: told that the bytes are filtered it passes over short repetitions, and libdeflate, below level 10, makes
  /// files 2 % larger or takes longer.
  var effort: (filter: CPNGFilter, level: Int32, mayUseISAL: Bool)? {
    switch self {
    case .store: (CPNG_FILTER_NONE, 0, false)
    case .fast: (CPNG_FILTER_PAETH, 1, true)
    case .balanced: nil
    case .small: (CPNG_FILTER_ALL, 12, false)
    }
  }

  /// How libpng does it, in zlib's levels.
  var effortOfLibPNG: CPNGEffort {
    switch self {
    case .store: CPNGEffort(level: 0, filter: CPNG_FILTER_NONE)
    case .fast: CPNGEffort(level: 1, filter: CPNG_FILTER_SUB)
    case .balanced: CPNGEffort(level: 4, filter: CPNG_FILTER_PAETH)
    case .small: CPNGEffort(level: 9, filter: CPNG_FILTER_ALL)
    }
  }
}

extension CPNGForm {
  /// Pixels that share a byte gain nothing from a filter (PNG 12.7).
  func filter(_ wanted: CPNGFilter) -> CPNGFilter { bit_depth < 8 ? CPNG_FILTER_NONE : wanted }
}

/// Carries libpng's words out of the C functions.
enum PNGReport {
  /// Runs `operation` with room for libpng's texts; throws an error of kind `refusal` about `name` unless it is done.
  /// Returns the result and libpng's remarks.
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
    case CPNG_DONE:
      return (result, text(warnings).split(separator: "\n").map(String.init))
    case CPNG_NO_MEMORY:
      throw noMemory(for: name)
    default:
      let why = "libpng refused it: \(text(message))"
      throw SafelightError(refusal, name, why: why, remedy: refusal == .input ? "write or copy the file again" : nil)
    }
  }

  static func noMemory(for name: String) -> SafelightError {
    SafelightError(.limit, name, why: "no memory is left for it", remedy: "process fewer frames at a time")
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// What one thread needs to decode or encode a picture, kept for the next one.
///
/// `@unchecked Sendable`: a codec lends it to one caller at a time, and takes it back through a lock.
@safe package final class PNGWorkspace: @unchecked Sendable {
  private var inflater: Inflater?
  private var deflaters: [Int32: Deflater] = [:]
  private var isal: ISALDeflater?
  private var memory = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)

  package init() {}

  deinit { unsafe free(memory.baseAddress) }

  /// `count` bytes of any contents, until the next call; nil where no memory is left.
  func scratch(_ count: Int) -> UnsafeMutableRawBufferPointer? {
    if unsafe memory.count < count {
      // Not realloc: nothing in it is worth a copy.
      unsafe free(memory.baseAddress)
      unsafe memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
      guard let start = unsafe malloc(count) else { return nil }
      unsafe memory = UnsafeMutableRawBufferPointer(start: start, count: count)
    }
    return unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
  }

  /// As ``Inflater/inflate(_:into:)``; false where no memory is left too.
  func inflate(_ stream: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Bool {
    inflater = inflater ?? Inflater()
    return unsafe inflater?.inflate(stream, into: target) ?? false
  }

  /// Folds `bytes` into `target` by libdeflate at `level`, or by ISA-L where that is wanted, sound, and the result fits; returns the
  /// length, nil where no memory is left.
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
