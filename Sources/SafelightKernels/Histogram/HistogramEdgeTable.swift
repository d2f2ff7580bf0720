internal import SafelightGPU
internal import SafelightImage
internal import Synchronization

/// The edges of floats' entries on a device: 256 columns, entries / 256 rows a plane.
final class HistogramEdgeTable: Sendable {
  let texture: Texture
  private let info: HistogramInfo
  private let made = Mutex<[UInt8]?>(nil)

  init(_ info: HistogramInfo) {
    self.info = info
    texture = Self.makeTexture(info)
  }

  static func makeTexture(_ info: HistogramInfo) -> Texture {
    Texture(size: Size(256, 4 * info.entries / 256), pixelFormat: .r32Uint, label: "histogram edges")
  }

  /// Records the upload, in each command buffer anew: it must hold all that a replay needs.
  func encodeUpload(to buffer: CommandBuffer) {
    let blit = buffer.makeBlitCommandEncoder(label: "histogram edges")
    blit.write(bytes, to: texture)
    blit.endEncoding()
  }

  /// Worked out at the first picture of floats.
  private var bytes: [UInt8] {
    made.withLock { made in
      if let made { return made }
      let keys = (0..<4).flatMap { channel in
        HistogramEdges(
          low: info.minPixelValue[channel], high: info.maxPixelValue[channel], entries: info.entries
        ).keys
      }
      let bytes = unsafe keys.withUnsafeBytes { unsafe Array($0) }
      made = bytes
      return bytes
    }
  }
}
