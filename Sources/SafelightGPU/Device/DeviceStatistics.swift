/// What a device holds at a moment; for showing that long work grows nothing.
public struct DeviceStatistics: Hashable, Sendable {
  /// Textures with storage, views included.
  public internal(set) var textures = 0
  /// Buffers with storage, those behind `setBytes` included.
  public internal(set) var buffers = 0
  /// Bytes of that storage.
  public internal(set) var bytes = 0
  /// Compiled programs.
  public internal(set) var programs = 0
  /// Samplers.
  public internal(set) var samplers = 0
  /// Query objects of the device's clock.
  public internal(set) var queries = 0
  /// Command buffers that are held back by events.
  public internal(set) var heldCommandBuffers = 0
  /// Contexts that were made in the place of lost ones.
  public internal(set) var rebuiltContexts = 0
  /// Blocks of memory that were allocated for readbacks and transfers since the device was opened. It stands still once frames use
  /// memory again.
  public internal(set) var transferAllocations = 0
}
