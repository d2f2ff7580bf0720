public import SafelightImage

/// Draws what a ``FrameView`` shows; MetalKit's `MTKViewDelegate`.
///
/// `Sendable`, as the view may be told to draw from any thread; two draws of one view never overlap.
public protocol FrameViewDelegate: AnyObject, Sendable {
  /// The view's drawables will be of `size` from now on; ``FrameView/drawableSize`` is still the old one.
  ///
  /// Called on the thread that changes the size.
  func view(_ view: FrameView, drawableSizeWillChange size: Size)

  /// Draws one picture into the view's ``FrameView/currentDrawable`` and presents it. Drawing nothing is allowed.
  func draw(in view: FrameView)
}

extension FrameViewDelegate {
  /// Nothing: a drawable knows its size.
  public func view(_ view: FrameView, drawableSizeWillChange size: Size) {}
}
