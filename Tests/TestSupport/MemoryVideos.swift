package import SafelightFrames
package import SafelightImage
import Synchronization

/// A film in memory: what was written, and how it ended.
package final class CollectedVideo: VideoWriter {
  package let name = "collected film"
  package let format: VideoFormat
  /// The frame that cannot be written.
  package let broken: Int?
  private let state = Mutex<[VideoFrame]>([])

  package init(
    _ size: Size, _ layout: PixelLayout, color: ColorDescription = .unspecified, broken: Int? = nil
  ) {
    format = VideoFormat(
      size: size, layout: layout, timeBase: MediaTime(value: 1, timescale: 25),
      frameDuration: MediaTime(value: 1, timescale: 25), color: color)
    self.broken = broken
  }

  package var frames: [VideoFrame] { state.withLock { $0 } }

  package func write(_ frame: VideoFrame) async throws(SafelightError) {
    let count = state.withLock { $0.count }
    // Later frames get their chance to overtake.
    if count % 3 == 0 { try? await Task.sleep(for: .milliseconds(2)) }
    if count == broken { throw SafelightError(.transfer, name, why: "the disk is full") }
    state.withLock { $0.append(frame) }
  }

  package func finish() async throws(SafelightError) {}

  package func abandon() async {}
}

/// A film of frames that are there already; ends with `failure` behind them.
package struct MemoryVideo: FrameSource {
  package let format: VideoFormat
  package let frames: [VideoFrame]
  package var failure: SafelightError?
  /// Called behind the last frame.
  package var atEnd: @Sendable () -> Void = {}

  /// Frames of noise, no two alike, of that color.
  package init(
    _ count: Int, _ size: Size, _ layout: PixelLayout, color: ColorDescription, orientation: Orientation = .up
  ) {
    format = VideoFormat(
      size: size, layout: layout, timeBase: MediaTime(value: 1, timescale: 25), orientation: orientation, color: color)
    frames = (0..<count).map { number in
      let planes = layout.planeFormats.enumerated().map { index, format in
        let size = layout.planeSize(index, of: size)
        let bytes = (0..<size.area * format.bytesPerPixel).map { place in
          UInt8(truncatingIfNeeded: (place + 1) * (place &* 7 + 31 * number + 3) >> 3 + index)
        }
        return PixelPlane(size: size, pixelFormat: format, bytes: bytes)
      }
      return VideoFrame(
        index: number, size: size, layout: layout, planes: planes,
        presentationTime: MediaTime(value: Int64(number * number), timescale: 25), orientation: orientation,
        color: color)
    }
  }

  package func makeAsyncIterator() -> Iterator {
    Iterator(frames: frames.makeIterator(), failure: failure, atEnd: atEnd)
  }

  package struct Iterator: AsyncIteratorProtocol {
    package var frames: IndexingIterator<[VideoFrame]>
    package let failure: SafelightError?
    package let atEnd: @Sendable () -> Void

    package mutating func next(isolation: isolated (any Actor)?) async throws(SafelightError) -> VideoFrame? {
      if let frame = frames.next() { return frame }
      if let failure { throw failure }
      atEnd()
      return nil
    }
  }
}
