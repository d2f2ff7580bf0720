import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Times of work. Only orders are tested, not durations.
@Suite struct CommandTimesDeviceTests {
  private func work(_ buffer: CommandBuffer, _ device: Device) throws {
    let image = SyntheticImage.noise.image(Size(64, 64), channels: .rgba, depth: .bits8)
    let texture = try device.makeTexture(image.size, image.pixelFormat)
    buffer.blit {
      $0.copy(from: image, to: texture)
      _ = $0.read(texture)
    }
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func timesAreInOrderOnOneClock(_ test: TestDevice) throws {
    let device = try test.open()
    let queue = device.makeCommandQueue()
    var last = 0.0
    for _ in 0..<5 {
      let buffer = queue.makeCommandBuffer()
      try work(buffer, device)
      #expect(buffer.gpuStartTime == 0 && buffer.gpuEndTime == 0 && buffer.kernelStartTime == 0)
      try buffer.finish()
      #expect(buffer.kernelStartTime > last)
      #expect(buffer.kernelStartTime <= buffer.kernelEndTime)
      #expect(buffer.gpuStartTime <= buffer.gpuEndTime)
      // The two clocks are compared once a second; a tenth of one is far more than they drift meanwhile.
      #expect(abs(buffer.gpuStartTime - buffer.kernelStartTime) < 0.1 + (buffer.kernelEndTime - buffer.kernelStartTime))
      last = buffer.kernelEndTime
    }
  }

  /// llvmpipe has a clock of its own; the Swift twins run on the host's.
  @Test(arguments: TestDevice.onEveryPlatform)
  func theSourceOfTheTimesIsSaid(_ test: TestDevice) throws {
    let device = try test.open()
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    try work(buffer, device)
    #expect(buffer.gpuTimeSource == .wallClock)
    try buffer.finish()
    if device.info.isCPU { #expect(buffer.gpuTimeSource == .wallClock) }
    if device.name.hasPrefix("llvmpipe") { #expect(buffer.gpuTimeSource == .gpu) }
    #expect(buffer.gpuEndTime > 0)
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func samplesLieBetweenStartAndEnd(_ test: TestDevice) throws {
    let device = try test.open()
    let samples = device.makeCounterSampleBuffer(sampleCount: 4)
    let image = SyntheticImage.noise.image(Size(64, 64), channels: .rgba, depth: .bits8)
    let texture = try device.makeTexture(image.size, image.pixelFormat)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    buffer.blit {
      $0.sampleCounters(samples, sampleIndex: 0)
      $0.copy(from: image, to: texture)
      $0.sampleCounters(samples, sampleIndex: 1)
      _ = $0.read(texture)
      $0.sampleCounters(samples, sampleIndex: 3)
    }
    #expect(samples.resolveCounterRange(0..<4) == [nil, nil, nil, nil])
    try buffer.finish()
    let times = samples.resolveCounterRange(0..<4)
    #expect(times[2] == nil)
    let known = try [0, 1, 3].map { try #require(times[$0]) }
    #expect(known == known.sorted())
    #expect(known[0] >= buffer.gpuStartTime)
    #expect(known[2] <= buffer.gpuEndTime)
    #expect(samples.resolveCounterRange(3..<4) == [known[2]])
  }

  /// A device reports its driver's priorities; llvmpipe has none.
  @Test(arguments: TestDevice.onEveryPlatform)
  func thePriorityIsWhatTheDriverGrants(_ test: TestDevice) throws {
    let device = try test.open(limits: nil, priority: .high)
    if device.info.isSoftware { #expect(device.info.priority == .medium) }
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    try work(buffer, device)
    try buffer.finish()
  }
}
