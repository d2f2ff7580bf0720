internal import SafelightImage

extension Device {
  /// Makes an event for the queues of this device; Metal's `makeEvent`.
  public func makeEvent(label: String = "event") -> Event { Event(label: label, home: executor) }

  /// Makes an event that the CPU and other devices may use too; Metal's `makeSharedEvent`.
  public func makeSharedEvent(label: String = "shared event") -> SharedEvent { SharedEvent(label: label) }

  /// Joins an event of another process; Metal's `makeSharedEvent(handle:)`.
  public func makeSharedEvent(handle: SharedEventHandle) -> SharedEvent { SharedEvent(handle, label: handle.label) }

  /// Makes a fence for the encoders of this device; Metal's `makeFence`.
  public func makeFence(label: String = "fence") -> Fence { Fence(label: label, home: executor) }

  /// Makes room for `sampleCount` times; Metal's `makeCounterSampleBuffer` for the timestamp counter. At least one.
  public func makeCounterSampleBuffer(sampleCount: Int, label: String = "timestamps") -> CounterSampleBuffer {
    trap(unless: sampleCount > 0, "counter sample buffer '\(label)' of \(sampleCount) samples; ask for one at least")
    return CounterSampleBuffer(sampleCount: sampleCount, label: label)
  }
}
