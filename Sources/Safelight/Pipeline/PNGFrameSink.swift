public import SafelightFrames
public import SafelightGPU
internal import SafelightImage
internal import Synchronization

/// A sink that writes each frame of a view as a PNG file, whole or not at all.
///
/// Frames are numbered from 1 in the order of presentation; the number of a lost frame is left out. A presentation time
/// becomes a text with the keyword `Presentation Time`, such as `1001/24000 s`. The sink encodes the frames itself, so
/// a view that draws faster than files are written finds no free drawable meanwhile.
public final class PNGFrameSink: FrameSink {
  private let output: String
  private let compression: PNGCompression
  private let codec = PNGCodec()
  private let state = Mutex<(written: [String], lost: [LostFrame])>(([], []))

  /// Makes a sink that writes to `output`: a folder, which is created if necessary and gets `frame.000001.png` and so
  /// on, or a printf pattern such as `out/view.%04d.png`, whose folder is created too. Files of these names are
  /// replaced.
  ///
  /// - Throws: ``SafelightError`` of kind `usage`, `unsupported` or `output` if no frames can be written there.
  public init(_ output: String, compression: PNGCompression = .fast) throws {
    self.output = output
    self.compression = compression
    // Two, so that a name for a single file is refused.
    try FrameOutput(output, for: [Self.frame(1), Self.frame(2)]).prepare()
  }

  /// The files written so far, in the order of presentation.
  public var paths: [String] { state.withLock { $0.written } }

  /// The frames that were lost.
  public var lostFrames: [LostFrame] { state.withLock { $0.lost } }

  /// Writes a frame.
  public func consume(_ frame: PresentedFrame) throws {
    let paths = try FrameOutput(output, for: [Self.frame(frame.index + 1)]).paths
    for path in paths {
      try PNGFile(image: frame.image(), metadata: Self.metadata(frame))
        .write(to: path, compression: compression, codec: codec)
      state.withLock { $0.written.append(path) }
    }
  }

  /// Notes a lost frame.
  public func lose(_ frame: LostFrame) { state.withLock { $0.lost.append(frame) } }

  /// Returns a text chunk: keyword, a zero, and Latin-1 (PNG 11.3.3.2).
  private static func metadata(_ frame: PresentedFrame) -> PNGMetadata {
    guard let time = frame.presentationTime else { return PNGMetadata() }
    return PNGMetadata(chunks: [PNGChunk(type: "tEXt", data: Array("Presentation Time\0\(time)".utf8))])
  }

  /// Returns a frame without a file, below a device, so that no output can replace it.
  private static func frame(_ number: Int) -> Frame {
    let digits = String(number)
    let zeros = String(repeating: "0", count: max(0, 6 - digits.count))
    return Frame(index: number - 1, number: number, path: "/dev/null/frame.\(zeros)\(digits).png")
  }
}
