import SafelightImage

/// The brightness of a picture in 16 × 16 cells, to find out which of some frames it shows.
///
/// A cell is the mean of at most 8 × 8 of its pixels: enough to tell the frames of a film apart, and done in a fraction of the time that
/// decoding takes. No verdict rests on it.
struct FrameThumbnail: Hashable, Sendable {
  private static let edge = 16
  private static let samplesAcross = 8

  /// Sums of the samples of each cell, in 16ths of an 8-bit step.
  private let cells: [Int32]

  init(_ image: Image) {
    let across = Self.edge * Self.samplesAcross
    let format = image.pixelFormat
    let (width, height) = (min(across, image.size.width), min(across, image.size.height))
    let high = format.bytesPerSample - 1
    var sums = [Int32](repeating: 0, count: Self.edge * Self.edge)
    var counts = sums
    for row in 0..<height {
      let y = row * image.size.height / height
      for column in 0..<width {
        let x = column * image.size.width / width
        // The high byte of each sample; red, twice green and blue weigh as they do in brightness, nearly.
        let first = y * image.bytesPerRow + x * format.bytesPerPixel + high
        let value =
          format.samplesPerPixel == 1
          ? 4 * Int32(image.bytes[first])
          : Int32(image.bytes[first]) + 2 * Int32(image.bytes[first + format.bytesPerSample])
            + Int32(image.bytes[first + 2 * format.bytesPerSample])
        let cell = row * Self.edge / height * Self.edge + column * Self.edge / width
        sums[cell] += value
        counts[cell] += 1
      }
    }
    cells = zip(sums, counts).map { $1 == 0 ? 0 : $0 * 4 / $1 }
  }

  /// How far apart two pictures are: 0 for equal thumbnails.
  func distance(to other: FrameThumbnail) -> Int {
    zip(cells, other.cells).reduce(0) { $0 + Int(($1.0 - $1.1).magnitude) }
  }
}
