/// Bytes on a device; Metal's `MTLBuffer`, made zero.
///
/// A handle, like ``Texture``. Contents travel by commands: ``BlitCommandEncoder/write(_:to:offset:)`` and
/// ``BlitCommandEncoder/read(_:range:)``.
public final class Buffer: Sendable {
  /// The number of bytes.
  public let length: Int
  /// A name for messages and debuggers.
  public let label: String

  let lifetime = ResourceLifetime()

  init(length: Int, label: String) {
    self.length = length
    self.label = label
  }
}
