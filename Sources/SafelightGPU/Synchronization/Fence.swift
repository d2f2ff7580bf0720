/// Says that an encoder comes after another; Metal's `MTLFence`.
///
/// Nothing is left to order: a device runs its encoders one after the other, and derives barriers from what commands read and write. What
/// Metal code says with fences is checked all the same.
public final class Fence: Sendable {
  /// A name for messages.
  public let label: String
  let home: Executor

  init(label: String, home: Executor) {
    self.label = label
    self.home = home
  }
}
