public import SafelightGLES

/// Tests of depths and stencils, for ``RenderCommandEncoder/setDepthStencilState(_:)``; Metal's `MTLDepthStencilState`.
///
/// A value that stays as it is: any device takes it.
public final class DepthStencilState: Sendable {
  /// A name for messages.
  public let label: String
  /// The tests.
  public let descriptor: DepthStencilDescriptor

  init(_ descriptor: DepthStencilDescriptor) {
    label = descriptor.label
    self.descriptor = descriptor
  }
}

extension Device {
  /// Makes tests of depths and stencils; every device has them (`glDepthFunc`, `glStencilFuncSeparate`).
  public func makeDepthStencilState(_ descriptor: DepthStencilDescriptor) -> DepthStencilState {
    DepthStencilState(descriptor)
  }
}
