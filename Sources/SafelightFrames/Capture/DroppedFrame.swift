public import SafelightImage

/// Why a frame of a source did not reach its taker: the reasons of `AVCaptureOutput.DataDroppedReason`.
public enum DropReason: String, Hashable, Sendable, CaseIterable {
  /// It came while the frame before was still being worked on.
  case lateData
  /// Nobody was at work, but as many frames were kept as there are buffers.
  case outOfBuffers
  /// Its time does not lie behind that of the frame before: the source jumped, and counts from here now.
  case discontinuity
}

/// A frame that was dropped: all that is known of it but its pixels, whose memory has been given back.
public struct DroppedFrame: Hashable, Sendable {
  /// Its place in the source, from 0.
  public let index: Int
  /// When it was to be shown.
  public let presentationTime: MediaTime
  /// How long; nil where the source does not say.
  public let duration: MediaTime?
  /// Why.
  public let reason: DropReason

  init(_ frame: VideoFrame, _ reason: DropReason) {
    self.index = frame.index
    self.presentationTime = frame.presentationTime
    self.duration = frame.duration
    self.reason = reason
  }
}
