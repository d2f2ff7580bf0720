import Glibc
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

@Suite struct CaptureManagerTests {
  private func commit(_ queue: CommandQueue, _ label: String) throws {
    let buffer = queue.makeCommandBuffer(label: label)
    buffer.dispatch(SwiftFunctions.pipeline {})
    try buffer.finish()
  }

  @Test func aDeviceAQueueABufferOrAScopeIsCaptured() throws {
    let device = try Device.open(.cpu)
    let (first, second) = (device.makeCommandQueue(), device.makeCommandQueue())
    let single = first.makeCommandBuffer(label: "single")
    let scope = device.captureManager.makeCaptureScope(label: "frame", queue: second)
    func captured(_ object: CaptureDescriptor.Object, _ body: () throws -> Void) throws -> [String] {
      let collector = CaptureCollector()
      try device.captureManager.startCapture(CaptureDescriptor(captureObject: object, destination: collector))
      try body()
      device.captureManager.stopCapture()
      try commit(first, "after")
      return collector.captures.map(\.label)
    }
    let both = {
      try commit(first, "a")
      try commit(second, "b")
    }
    #expect(try captured(.device, both) == ["a", "b"])
    #expect(try captured(.commandQueue(second), both) == ["b"])
    let ofBuffer = try captured(.commandBuffer(single)) {
      try both()
      try single.finish()
    }
    #expect(ofBuffer == ["single"])
    let ofScope = try captured(.scope(scope)) {
      try both()
      scope.begin()
      try both()
      scope.end()
      #expect(!device.captureManager.isCapturing)
      try both()
    }
    #expect(ofScope == ["b"])
  }

  /// A sink with a small limit.
  private struct SmallSink: CaptureSink {
    let byteLimit = 1000
    func receive(_ capture: Capture) throws(SafelightError) {
      throw SafelightError(.output, "sink", why: "it was given a capture that is too large")
    }
  }

  /// Nothing is read for a command buffer whose capture exceeds the limit; it fails, so that no capture is missing
  /// silently.
  @Test func aCaptureThatIsTooLargeIsRefused() throws {
    let device = try Device.open(.cpu)
    try device.captureManager.startCapture(CaptureDescriptor(destination: SmallSink()))
    let (small, large) = (try device.makeBuffer(length: 400), try device.makeBuffer(length: 1000))
    func fill(_ buffer: Buffer) throws { try device.blit { $0.fill(buffer, range: 0..<4, value: 1) } }
    expectError(.output) { try fill(small) }
    expectError(.limit, why: "a capture of it takes up to 2000 bytes of memory; the limit is 1000") {
      try fill(large)
    }
  }

  @Test func onlyOneCaptureAtATime() throws {
    let manager = try Device.open(.cpu).captureManager
    try manager.startCapture(CaptureDescriptor(destination: CaptureCollector()))
    #expect(manager.isCapturing)
    expectError(.usage, remedy: .containing("stopCapture()")) {
      try manager.startCapture(CaptureDescriptor(destination: CaptureCollector()))
    }
  }

  @Test func aSinkChoosesByLabelAndOptionsCaptureFromTheStart() throws {
    let collector = CaptureCollector(labels: "wanted")
    let device = try Device.open(.cpu, options: DeviceOptions(capture: collector))
    let queue = device.makeCommandQueue()
    for label in ["wanted 1", "other", "wanted 2"] { try commit(queue, label) }
    #expect(collector.captures.map(\.label) == ["wanted 1", "wanted 2"])
  }

  /// The sink has the capture before waiting threads continue.
  @Test func aCaptureComesBeforeTheHandlers() throws {
    let collector = CaptureCollector()
    let device = try Device.open(.cpu, options: DeviceOptions(capture: collector))
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "b")
    buffer.addCompletedHandler { _ in #expect(collector.captures.count == 1) }
    try buffer.finish()
    #expect(collector.captures.count == 1)
  }

  @Test func aFullDiskIsNotSilent() throws {
    let full = SafelightError(.transfer, "captures", why: "no room")
    let device = try Device.open(.cpu, options: DeviceOptions(capture: CaptureCollector(refusal: full)))
    expectError(.transfer, what: .containing("capture of 'frame 3'")) {
      try commit(device.makeCommandQueue(), "frame 3")
    }
  }

  @Test func aFailureIsCapturedWithItsReason() throws {
    let collector = CaptureCollector()
    let device = try Device.open(.cpu, options: DeviceOptions(capture: collector))
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "b")
    buffer.dispatch(SwiftFunctions.pipeline { throw SwiftFunctions.Failure(description: "no light") }, label: "stage")
    #expect(throws: SafelightError.self) { try buffer.finish() }
    let capture = try #require(collector.captures.first)
    #expect(capture.failure?.contains("no light") == true && capture.outputs.isEmpty)
  }

  /// A command buffer that waits for an event is captured when it continues; its replay does not wait.
  @Test func aBufferThatWaitsForAnEventIsCaptured() throws {
    let collector = CaptureCollector()
    let device = try Device.open(.cpu, options: DeviceOptions(capture: collector))
    let event = device.makeEvent(label: "ready")
    let waiting = device.makeCommandQueue().makeCommandBuffer(label: "waiting")
    waiting.encodeWaitForEvent(event, value: 3)
    waiting.insertDebugSignpost("on")
    waiting.commit()
    let signalling = device.makeCommandQueue().makeCommandBuffer(label: "signalling")
    signalling.encodeSignalEvent(event, value: 3)
    signalling.commit()
    try waiting.waitUntilCompleted()
    #expect(collector.captures.map(\.label) == ["signalling", "waiting"])
    let capture = try #require(collector.captures.last)
    #expect(capture.manifest.commands.map(\.waitForEvent?.event) == ["ready", nil])
    #expect(capture.manifest.commands.allSatisfy { $0.place.hasPrefix("CaptureManagerTests.swift:") })
    let replay = try CaptureReplay(capture, device: Device.open(.cpu), twins: TwinLibrary())
    #expect(try replay.run().isEmpty)
    let texts = replay.recording.commands.compactMap { entry in
      if case .insertDebugSignpost(let text) = entry.command { text } else { nil }
    }
    #expect(texts == ["waits for 'ready' 3", "on"])
  }
}

/// `SAFELIGHT_CAPTURE`, in processes of their own, as the variable applies to a whole process.
@Suite struct CaptureRequestTests {
  @Test func aWishThatNobodyCanGrantIsAnError() async {
    await #expect(processExitsWith: .success) {
      setenv("SAFELIGHT_CAPTURE", "/tmp/captures", 1)
      expectError(.usage, remedy: .containing("CaptureFolder.install()")) { try Device.open(.cpu) }
      setenv("SAFELIGHT_CAPTURE", "", 1)
      #expect(throws: Never.self) { try Device.open(.cpu) }
    }
  }

  @Test func whoInstalledItselfReceivesEverything() async {
    await #expect(processExitsWith: .success) {
      setenv("SAFELIGHT_CAPTURE", "/tmp/captures", 1)
      let collector = CaptureCollector()
      CaptureRequest.install(collector)
      let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer(label: "b")
      try buffer.finish()
      #expect(collector.captures.map(\.label) == ["b"])
    }
  }
}

@Suite struct CaptureDifferenceTests {
  @Test func equalBytesHaveNone() {
    #expect(CaptureDifference(expected: [1, 2], actual: [1, 2], pixelFormat: .r8Unorm) == nil)
  }

  @Test(
    arguments: [
      (PixelFormat?.some(.r8Unorm), [1, 2, 3, 4], [1, 9, 3, 2], 2, 4, 1, 7.0),
      (.some(.r16Uint), [1, 2, 3, 4], [1, 2, 3, 6], 1, 2, 1, 512.0),
      (nil, [0, 0, 0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1, 0, 0], 1, 2, 1, 255.0),
      (nil, [0, 0, 5], [0, 0, 4], 1, 3, 2, 1.0),
      // 1.0 and 2.0 as halves.
      (.some(.r16Float), [0, 0x3C], [0, 0x40], 1, 1, 0, 1.0),
      // 1.0 and NaN as floats.
      (.some(.r32Float), [0, 0, 0x80, 0x3F], [0, 0, 0xC0, 0x7F], 1, 1, 0, .infinity),
    ] as [(PixelFormat?, [UInt8], [UInt8], Int, Int, Int, Double)])
  func samplesAreComparedInTheirFormat(
    _ format: PixelFormat?, _ expected: [UInt8], _ actual: [UInt8], _ differing: Int, _ count: Int, _ first: Int,
    _ largest: Double
  ) throws {
    let difference = try #require(CaptureDifference(expected: expected, actual: actual, pixelFormat: format))
    #expect(difference.differing == differing && difference.count == count && difference.first == first)
    #expect(difference.largest == largest)
  }

  @Test(arguments: [
    ("frame 17", "frame-17"), ("../../etc", "etc"), ("a/b:c", "a-b-c"), ("", ""), ("äö", ""), (".hidden", "hidden"),
    ("SafelightTests/File.swift:12", "SafelightTests-File.swift-12"),
  ])
  func labelsBecomeFileNames(_ label: String, _ name: String) {
    #expect(Capture.fileName(label) == name)
  }
}
