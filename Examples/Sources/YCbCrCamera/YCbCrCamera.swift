import ArgumentParser
import Running
import Safelight

/// Draws what a camera delivers as luma and chroma.
@main struct YCbCrCamera: AsyncParsableCommand {
  @OptionGroup var arguments: RunArguments

  func run() async throws {
    let device = try arguments.openDevice()
    let source = try await arguments.openSource("fixtures/films/bt709-full.mkv", options: CameraCapture.output)
    let view = try FrameView(device: device, size: source.format.size, sink: PNGFrameSink(arguments.out))
    let controller = try CameraController(view: view, waits: arguments.everyFrame)
    let capture = CameraCapture(session: arguments.makeCapture(source), delegate: controller)
    capture.start()
    await capture.session.finished()
    try await view.presented()
    arguments.report("YCbCrCamera", capture.session.ledger, view)
  }
}

/// Ties the camera to the view. Nothing else knows both.
final class CameraController: CameraCaptureDelegate {
  private let view: FrameView
  private let renderer: CameraRenderer
  private let waits: Bool

  init(view: FrameView, waits: Bool) throws {
    (self.view, self.waits) = (view, waits)
    renderer = try CameraRenderer(view: view)
    view.delegate = renderer
  }

  func cameraCapture(_ capture: CameraCapture, didOutput frame: VideoFrame) {
    do {
      try renderer.update(frame)
      view.draw()
      if waits { try view.waitUntilPresented() }
    } catch {
      view.note(error)
      capture.stop()
    }
  }

  func cameraCapture(_ capture: CameraCapture, didFinish error: SafelightError?) {
    if let error { view.note(error) }
  }
}
