import ArgumentParser
import Running
import Safelight

/// Shows pictures as a texture on four corners.
@main struct TextureView: AsyncParsableCommand {
  @OptionGroup var arguments: RunArguments

  @Option(help: "Columns of the view.")
  var width = 240

  @Option(help: "Rows of the view.")
  var height = 135

  func run() async throws {
    let device = try arguments.openDevice()
    let source = try await arguments.openSource("fixtures/dark-room", options: FFmpegOptions(layout: .bgra8))
    let view = try FrameView(device: device, size: Size(width, height), sink: PNGFrameSink(arguments.out))
    let controller = try TextureViewController(view: view)
    view.delegate = controller
    // No texture yet: nothing is drawn.
    view.draw()

    let cache = TextureCache(device: device)
    let capture = arguments.makeCapture(source)
    for try await frame in capture.frames {
      controller.texture = try cache.makeTextures(from: frame)[0]
      controller.time = frame.presentationTime
      view.draw()
      if arguments.everyFrame { try await view.presented() }
    }
    try await view.presented()
    arguments.report("TextureView", capture.ledger, view)
  }
}
