import ArgumentParser
import Running
import Safelight

/// Copies large frames through a kernel into a view that is turned by 90°.
@main struct PassthroughCamera: AsyncParsableCommand {
  @OptionGroup var arguments: RunArguments

  @Flag(help: "Turn the frames on the CPU instead, the road that the kernel is compared with.")
  var slow = false

  func run() async throws {
    let device = try arguments.openDevice()
    let source = try await arguments.openSource(
      "testsrc2=size=3840x2160:rate=30:duration=0.1", options: FFmpegOptions(layout: .bgra8))
    let view = try FrameView(
      device: device, size: Orientation.right.uprightSize(of: source.format.size), sink: PNGFrameSink(arguments.out))
    view.framebufferOnly = false
    let renderer = try PassthroughRenderer(device: device, frameSize: source.format.size)
    view.delegate = renderer

    let capture = arguments.makeCapture(source)
    for try await frame in capture.frames {
      if slow {
        try renderer.update(turnedOnCPU(frame), at: frame.presentationTime)
      } else {
        try renderer.update(frame)
      }
      view.draw()
      if arguments.everyFrame { try await view.presented() }
    }
    try await view.presented()
    arguments.report("PassthroughCamera", capture.ledger, view)
  }

  /// The slow road: the bytes of the frame, blue first, wrapped as a picture and turned pixel by pixel.
  private func turnedOnCPU(_ frame: VideoFrame) throws -> Image {
    let stored = try Image(size: frame.size, pixelFormat: .bgra8Unorm, bytes: frame.planes[0].bytes)
    let size = Orientation.right.uprightSize(of: stored.size)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(stored.bytes.count)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let place = Orientation.right.sourcePosition(ofUprightX: x, y: y, in: stored.size)
        let first = place.y * stored.bytesPerRow + place.x * 4
        bytes += stored.bytes[first..<first + 4]
      }
    }
    return Image(size: size, channels: .rgba, depth: .bits8, bytes: bytes)
  }
}
