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
