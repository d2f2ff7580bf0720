/// A picture whose rows are made where they are needed: who asks for a few finds them in the processor's cache.
@safe package struct ImageRows: Sendable {
  /// The picture's size, format and meaning.
  package let picture: ImageDescriptor

  private let make: @Sendable (_ rows: Range<Int>, _ memory: UnsafeMutableRawBufferPointer) -> Void

  /// Makes a picture of which `make` puts any rows, laid out as in an ``Image``, into memory of their size.
  package init(
    _ picture: ImageDescriptor,
    make: @escaping @Sendable (_ rows: Range<Int>, _ memory: UnsafeMutableRawBufferPointer) -> Void
  ) {
    self.picture = picture
    unsafe self.make = unsafe make
  }

  /// All rows.
  package var image: Image { image(of: 0..<picture.size.height) }

  /// Calls `body` with all rows from the top down, as many at a time as have about `byteCount` bytes.
  package func forEachStrip(ofBytes byteCount: Int, _ body: (Image) throws -> Void) rethrows {
    let height = max(1, byteCount / picture.bytesPerRow)
    for first in stride(from: 0, to: picture.size.height, by: height) {
      try body(image(of: first..<min(first + height, picture.size.height)))
    }
  }

  private func image(of rows: Range<Int>) -> Image {
    let count = rows.count * picture.bytesPerRow
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { memory, initialized in
      unsafe make(rows, UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(memory)[..<count]))
      initialized = count
    }
    return Image(picture.ofRows(rows.count), bytes: bytes)
  }
}
