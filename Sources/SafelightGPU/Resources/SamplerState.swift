public import SafelightGLES

/// How a shader reads a texture between pixels and beyond edges; Metal's `MTLSamplerState` (`glBindSampler`).
public final class SamplerState: Sendable {
  /// What it does.
  public let descriptor: SamplerDescriptor
  /// A name for messages and debuggers.
  public let label: String

  let lifetime = ResourceLifetime()

  init(_ descriptor: SamplerDescriptor, label: String) {
    self.descriptor = descriptor
    self.label = label
  }
}
