/// Declares that an encoder follows another; Metal's `MTLFence`.
///
/// Fences order nothing: a device runs its encoders one after the other, and derives barriers from what commands read
/// and write. Their use is still checked.
public final class Fence: Sendable {
  /// A name for messages.
  public let label: String
  let home: DeviceThread

  init(label: String, home: DeviceThread) {
    self.label = label
    self.home = home
  }
}
