import Safelight
import Synchronization

/// Hears of a camera's frames, and of its end, on the capture's own queue.
protocol CameraCaptureDelegate: AnyObject, Sendable {
  func cameraCapture(_ capture: CameraCapture, didOutput frame: VideoFrame)
  func cameraCapture(_ capture: CameraCapture, didFinish error: SafelightError?)
}

/// A camera of 4:2:0 planes in full range; its session and its frames have serial queues. Knows nothing of drawing.
final class CameraCapture: FrameCaptureDelegate {
  /// What a source is to be asked for.
  static let output = FFmpegOptions(layout: .yCbCr420BiPlanar8, range: .full)

  let session: FrameCapture
  private weak let delegate: (any CameraCaptureDelegate)?

  init(session: FrameCapture, delegate: any CameraCaptureDelegate) {
    (self.session, self.delegate) = (session, delegate)
    session.delegate = self
  }

  func start() { session.start() }
  func stop() { session.stop() }

  func frameCapture(_ capture: FrameCapture, didOutput frame: VideoFrame) {
    delegate?.cameraCapture(self, didOutput: frame)
  }

  func frameCapture(_ capture: FrameCapture, didFinish error: SafelightError?) {
    delegate?.cameraCapture(self, didFinish: error)
  }
}
