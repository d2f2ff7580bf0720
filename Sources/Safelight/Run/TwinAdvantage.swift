internal import SafelightGPU
public import SafelightImage

/// How much faster the Swift twins do some filters than another device, on this machine and now.
public enum TwinAdvantage {
  /// The size of the frame that is measured on: large enough for all threads, done in milliseconds.
  public static let size = Size(640, 360)

  /// The time that `processor` takes for a frame over that of the twins; above 1 the twins are faster. Takes some 50 ms beside what the
  /// device needs to compile the functions, which it keeps.
  ///
  /// Forgets the pictures that the chain has seen. Throws what the device says, and where a filter does not take such a frame.
  public static func measure(_ processor: FrameProcessor) async throws -> Double {
    let cpu = try Device.open(.cpu)
    defer {
      cpu.close()
      processor.chain.reset()
    }
    let twins = FrameProcessor(device: cpu, chain: try FilterChain(processor.chain.calls, device: cpu))
    let picture = SyntheticImage.noise.image(size, channels: .rgb, depth: .bits8)
    let clock = ContinuousClock()
    func time(_ processor: FrameProcessor) async throws -> Duration {
      let start = clock.now
      _ = try await processor.process(picture, label: "measurement")
      return clock.now - start
    }
    // The first round compiles, and is the measure only where nothing better comes in time.
    var least = (device: try await time(processor), twins: try await time(twins))
    let start = clock.now
    for _ in 0..<3 where clock.now - start < .milliseconds(40) {
      // In turn, so that others on the machine slow both down alike.
      least.device = min(least.device, try await time(processor))
      least.twins = min(least.twins, try await time(twins))
    }
    return least.device / least.twins
  }
}
