import ArgumentParser
import Running
import Safelight

/// Evens the light of what a camera sees.
@main struct HistogramCamera: AsyncParsableCommand {
  @OptionGroup var arguments: RunArguments

  func run() async throws {
    let device = try arguments.openDevice()
    let source = try await arguments.openSource(
      "fixtures/dark-room", options: FFmpegOptions(layout: .bgra8, size: Size(640, 480)))
    let view = try FrameView(device: device, size: source.format.size, sink: PNGFrameSink(arguments.out))
    view.clearColor = RenderPassDescriptor.ClearColor(red: 1, green: 1, blue: 1, alpha: 1)
    view.framebufferOnly = false
    view.autoResizeDrawable = false
    let renderer = try HistogramRenderer(device: device)
    view.delegate = renderer

    let capture = arguments.makeCapture(source)
    for try await frame in capture.frames {
      try renderer.update(frame)
      view.draw()
      if arguments.everyFrame { try await view.presented() }
    }
    try await view.presented()
    arguments.report("HistogramCamera", capture.ledger, view)
  }
}
