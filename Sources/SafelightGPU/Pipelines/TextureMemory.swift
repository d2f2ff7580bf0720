public import SafelightGLES
public import SafelightImage

/// One image of a texture in the CPU executor.
///
/// The samples are copy-on-write arrays: uploading and reading back whole images copies nothing. Channels lie in the order red,
/// green, blue, alpha in every format; transfers swap the bytes of `bgra8Unorm`.
@safe public final class TextureMemory {
  /// Columns and rows.
  public let size: Size
  /// How a pixel lies in memory.
  public let pixelFormat: PixelFormat
  /// What the texture consists of.
  public let descriptor: TextureDescriptor

  private let images: TextureImages
  private let level: Int
  private let slice: Int
  /// The samples where they lie with another's, for as long as that one hands them out.
  private let borrowed: UnsafeMutableRawBufferPointer?

  /// All images of a texture, zero.
  package convenience init(_ descriptor: TextureDescriptor) {
    self.init(descriptor, TextureImages(descriptor), level: 0, slice: 0)
  }

  private init(_ descriptor: TextureDescriptor, _ images: TextureImages, level: Int, slice: Int) {
    self.descriptor = descriptor
    self.images = images
    self.level = level
    self.slice = slice
    unsafe borrowed = nil
    size = images.descriptor.size(atLevel: level)
    pixelFormat = descriptor.pixelFormat
  }

  /// Some rows of `other`, whose samples are `borrowed`.
  private init(_ rows: Range<Int>, of other: TextureMemory, _ borrowed: UnsafeMutableRawBufferPointer) {
    descriptor = other.descriptor
    images = other.images
    level = other.level
    slice = other.slice
    unsafe self.borrowed = unsafe UnsafeMutableRawBufferPointer(
      rebasing: borrowed[rows.lowerBound * other.bytesPerRow..<rows.upperBound * other.bytesPerRow])
    size = Size(other.size.width, rows.count)
    pixelFormat = other.pixelFormat
  }

  /// The same pixels as another texture, whose first image is one of this.
  func view(_ descriptor: TextureDescriptor, level: Int, slice: Int) -> TextureMemory {
    TextureMemory(descriptor, images, level: self.level + level, slice: self.slice + slice)
  }

  /// Another image of the texture: a level below this, a slice after this.
  public func image(level: Int = 0, slice: Int = 0) -> TextureMemory {
    view(descriptor, level: level, slice: slice)
  }

  /// Whether both are images of one texture.
  func sharesMemory(with other: TextureMemory) -> Bool { images === other.images }

  /// The samples, row by row.
  package var bytes: [UInt8] {
    get { images.bytes[images.index(level: level, slice: slice)] }
    _modify { yield &images.bytes[images.index(level: level, slice: slice)] }
  }

  /// Says that somebody else holds the samples too: whoever writes some of them next writes a copy.
  func share() { images.shared.insert(images.index(level: level, slice: slice)) }

  /// To be called before all samples are written: those that somebody else holds are left to them, not copied for nothing.
  func beginOverwriting() {
    guard images.shared.remove(images.index(level: level, slice: slice)) != nil else { return }
    let count = bytes.count
    bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { memory, initialized in
      #if DEBUG
        // What a twin forgets to write shall be seen, and not be left from a frame before.
        unsafe memory.update(repeating: 0xA5)
      #endif
      initialized = count
    }
  }

  /// Bytes from one row to the next.
  var bytesPerRow: Int { size.width * pixelFormat.bytesPerPixel }

  /// Reads all samples, row by row, as integers or floats of the format's width.
  public func withSamples<Sample: BitwiseCopyable, Result>(
    of type: Sample.Type, _ body: (UnsafeBufferPointer<Sample>) throws -> Result
  ) rethrows -> Result {
    if let borrowed = unsafe borrowed { return unsafe try body(UnsafeBufferPointer(borrowed.bindMemory(to: type))) }
    return unsafe try bytes.withUnsafeBytes { unsafe try body($0.bindMemory(to: type)) }
  }

  /// Writes samples, row by row.
  public func withMutableSamples<Sample: BitwiseCopyable, Result>(
    of type: Sample.Type, _ body: (UnsafeMutableBufferPointer<Sample>) throws -> Result
  ) rethrows -> Result {
    if let borrowed = unsafe borrowed { return unsafe try body(borrowed.bindMemory(to: type)) }
    return unsafe try bytes.withUnsafeMutableBytes { unsafe try body($0.bindMemory(to: type)) }
  }

  /// The samples of rows that ``withRows(of:_:_:)`` cut, and as long as it hands them out: loops without a closure around them are the
  /// faster ones.
  package func cutSamples<Sample: BitwiseCopyable>(of type: Sample.Type) -> UnsafeMutableBufferPointer<Sample> {
    guard let borrowed = unsafe borrowed else {
      trap("a whole texture has no cut rows; use TextureMemory.withRows(of:_:_:)")
    }
    return unsafe borrowed.bindMemory(to: type)
  }

  /// Hands out what cuts `source`, which is only read, and `target` into the same rows, as textures of those alone.
  ///
  /// Threads may work on rows that do not meet at once. The cut textures are of use within `body` only.
  package static func withRows(
    of source: TextureMemory, _ target: TextureMemory,
    _ body: (_ cut: (Range<Int>) -> (source: TextureMemory, target: TextureMemory)) -> Void
  ) {
    unsafe source.withSamples(of: UInt8.self) { from in
      unsafe target.withMutableSamples(of: UInt8.self) { to in
        let from = unsafe UnsafeMutableRawBufferPointer(mutating: UnsafeRawBufferPointer(from))
        let to = UnsafeMutableRawBufferPointer(to)
        body { rows in
          unsafe (TextureMemory(rows, of: source, from), TextureMemory(rows, of: target, to))
        }
      }
    }
  }
}

/// The samples of all images of a texture, shared by its views.
private final class TextureImages {
  let descriptor: TextureDescriptor
  var bytes: [[UInt8]]
  /// The images whose samples were handed out or taken over, and not written since.
  var shared: Set<Int> = []

  init(_ descriptor: TextureDescriptor) {
    self.descriptor = descriptor
    bytes = (0..<descriptor.mipmapLevelCount).flatMap { level in
      let count =
        descriptor.size(atLevel: level).area * descriptor.pixelFormat.bytesPerPixel * descriptor.sampleCount
      return (0..<descriptor.sliceCount()).map { _ in [UInt8](repeating: 0, count: count) }
    }
  }

  func index(level: Int, slice: Int) -> Int { level * descriptor.sliceCount() + slice }
}
