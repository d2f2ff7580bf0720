import SafelightFrames
public import SafelightGPU
import SafelightImage

extension CaptureReplay.Output {
  /// The name as a file may have it; that of a capture from elsewhere may be any text.
  public var fileName: String { Capture.fileName(name) }

  /// What the replay made, as a file: PNG where it is a picture that PNG can hold, else the bytes.
  public func file() throws -> (fileExtension: String, bytes: [UInt8]) {
    guard let image = picture(actual) else { return ("bin", actual) }
    return ("png", try PNGEncoder.encode(PNGFile(image: image)))
  }

  /// Where both differ, the largest difference white; nil where they are equal, or no picture.
  public func differencePicture() throws -> [UInt8]? {
    guard let difference, let before = picture(expected), let after = picture(actual) else { return nil }
    let width = before.depth.rawValue / 8
    var bytes = [UInt8](repeating: 0, count: before.bytes.count / width)
    for index in bytes.indices {
      let distance = abs(
        Self.sample(before.bytes, index * width, width) - Self.sample(after.bytes, index * width, width))
      bytes[index] = UInt8(min(255, Double(distance) * 255 / difference.largest))
    }
    // Alpha would hide what it has to show.
    if before.channels == .rgba { for alpha in stride(from: 3, to: bytes.count, by: 4) { bytes[alpha] = 255 } }
    let channels: Channels = before.channels == .gray ? .gray : .rgb
    return try PNGEncoder.encode(
      PNGFile(image: Image(size: before.size, channels: channels, depth: .bits8, bytes: bytes)))
  }

  private func picture(_ bytes: [UInt8]) -> Image? {
    CapturePicture(Capture.Blob(bytes: bytes, size: size, pixelFormat: pixelFormat))?.image
  }

  private static func sample(_ bytes: [UInt8], _ at: Int, _ width: Int) -> Int {
    width == 1 ? Int(bytes[at]) : Int(bytes[at]) | Int(bytes[at + 1]) << 8
  }
}
