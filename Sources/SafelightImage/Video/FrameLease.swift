/// Says when the last copy of a frame is gone, so that its memory can serve another and those in use can be counted.
package final class FrameLease: Sendable {
  private let onRelease: @Sendable () -> Void
  /// The lease of the frame that this one is a copy of; released with it.
  private let inner: FrameLease?

  /// Makes a lease on top of another; `onRelease` runs once, on whichever thread lets go last, and must be short.
  package init(inner: FrameLease? = nil, onRelease: @escaping @Sendable () -> Void) {
    self.inner = inner
    self.onRelease = onRelease
  }

  deinit { onRelease() }
}
