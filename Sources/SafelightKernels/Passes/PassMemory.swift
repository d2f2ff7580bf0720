public import SafelightImage

/// The memory of one call of a twin: the pixels that the twin makes, and the pictures that it reads. Valid only during
/// that call.
///
/// Positions are those of whole pictures, whatever part of them lies in memory.
public struct PassMemory: Sendable {
  /// The pixels to make, or of which numbers are made.
  @usableFromInline package let region: Region
  /// The memory of the picture that is made.
  @usableFromInline package internal(set) var output: PictureMemory
  /// The memory of each input, which holds what its footprint needs.
  package internal(set) var inputs: [PictureMemory]
  /// The words of the uniforms, whole vectors of four.
  public internal(set) var uniforms: [UInt32]
  /// The declaration of the pass, by which a twin finds its inputs.
  var pass = Declaration()
  /// True if the output holds the row above the region too, made by the same function.
  package var hasRowAbove = false

  /// The uniforms as the value whose bytes they are.
  func block<Block: BitwiseCopyable>(_ type: Block.Type) -> Block {
    unsafe uniforms.withUnsafeBytes { bytes in
      trap(
        unless: bytes.count >= (type == NoUniforms.self ? 0 : MemoryLayout<Block>.size), "the uniforms are no \(type)")
      return unsafe bytes.loadUnaligned(as: type)
    }
  }

  /// The words that are made, to which the function adds by their rules.
  var words: UnsafeMutableBufferPointer<UInt32> { unsafe output.words }

  /// Returns the same memory for some of the rows.
  func cut(to rows: Range<Int>) -> PassMemory {
    PassMemory(
      region: Region(x: region.x, y: rows.lowerBound, width: region.size.width, height: rows.count), output: output,
      inputs: inputs, uniforms: uniforms, pass: pass)
  }
}

/// A part of a picture in memory, or a row of words.
///
/// `@unchecked Sendable`: the pointer leads to samples of textures or words of buffers, which ``PassProgram``,
/// ``PassStrips`` or ``PassRows`` holds until all calls of the twin have returned, or to a thread's own temporaries.
/// Each call writes only the rows of its own region of the output, or words of its own, and reads only the inputs.
@safe @usableFromInline package struct PictureMemory: @unchecked Sendable {
  /// The pixels that lie in memory.
  @usableFromInline package let region: Region
  /// The columns and rows of the whole picture.
  @usableFromInline package let size: Size
  /// The layout of a pixel.
  package let pixelFormat: PixelFormat

  /// The bytes from a row to the next.
  @usableFromInline let bytesPerRow: Int
  /// The bytes of a sample.
  @usableFromInline let bytesPerSample: Int
  /// The samples of a pixel.
  @usableFromInline package let step: Int
  @usableFromInline let samples: UnsafeMutableRawPointer
  /// True for words of numbers.
  var isWords = false

  /// Describes `samples`, rows of `region` without padding.
  init(_ region: Region, of size: Size, _ pixelFormat: PixelFormat, _ samples: UnsafeMutableRawPointer) {
    self.region = region
    self.size = size
    self.pixelFormat = pixelFormat
    unsafe self.samples = unsafe samples
    bytesPerRow = region.size.width * pixelFormat.bytesPerPixel
    bytesPerSample = pixelFormat.bytesPerSample
    step = pixelFormat.samplesPerPixel
  }

  /// Returns where the pixel in column `x` and row `y` lies; it must lie in ``region``.
  @inlinable @inline(__always) func pixel(x: Int, y: Int) -> UnsafeMutableRawPointer {
    unsafe samples + (y - region.y) * bytesPerRow + (x - region.x) * step * bytesPerSample
  }

  /// The words of numbers.
  var words: UnsafeMutableBufferPointer<UInt32> { unsafe row(UInt32.self, x: 0, y: 0, count: size.width) }

  /// Returns where the entries of a table lie, row after row, four samples each.
  func entries() -> UnsafeMutablePointer<SIMD4<UInt16>> {
    unsafe samples.assumingMemoryBound(to: SIMD4<UInt16>.self)
  }

  /// Returns the samples of `count` pixels of row `y` from column `x` on; all must lie in ``region``.
  @inlinable @inline(__always) package func row<Sample: BitwiseCopyable>(
    _ type: Sample.Type, x: Int, y: Int, count: Int
  ) -> UnsafeMutableBufferPointer<Sample> {
    unsafe UnsafeMutableBufferPointer(
      start: pixel(x: x, y: y).assumingMemoryBound(to: type), count: count * step)
  }
}
