public import SafelightImage

extension CommandBuffer {
  /// Shows `drawable` once everything recorded in this buffer is done, what is recorded after this call included.
  ///
  /// Brings the pixels back at the buffer's end (`glReadPixels`), into memory that the drawable keeps, and hands them to
  /// the view's sink after completion. Where the buffer fails, the sink learns of the loss. Present a drawable once, in
  /// a buffer of its own device.
  public func present(_ drawable: Drawable) {
    trap(
      unless: drawable.device === device,
      "drawable \(drawable.drawableID) belongs to \(drawable.device.name), command buffer '\(label)' to \(device.name); present it in a buffer of its own device"
    )
    drawable.beginPresenting()
    schedulePresentation(drawable)
  }

  /// The same, and says when the picture is to be shown: the time of the frame that it was made from.
  public func present(_ drawable: Drawable, atTime time: MediaTime) {
    drawable.presentationTime = time
    present(drawable)
  }
}
