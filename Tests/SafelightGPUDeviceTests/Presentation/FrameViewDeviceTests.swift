import Dispatch
import Glibc
import SafelightGPU
import SafelightImage
import Synchronization
import TestSupport
import Testing

/// Presentation of drawables.
@Suite struct FrameViewDeviceTests {
  private let size = Size(5, 3)

  /// A view of colors with red first, and the sink that collects its frames.
  private func open(_ test: TestDevice, limit: Int = .max) throws -> (Device, FrameView, CollectingFrameSink) {
    let (device, sink) = (try test.open(), CollectingFrameSink(limit: limit))
    return (device, try FrameView(device: device, size: size, colorPixelFormat: .rgba8Unorm, sink: sink), sink)
  }

  @Test(arguments: TestDevice.all)
  func framesReachTheSinkInTheOrderOfTheirCommits(_ test: TestDevice) throws {
    let device = try test.open()
    let collected = CollectingFrameSink()
    // Some frames take longer than others.
    let sink = ClosureFrameSink(onLoss: { _ in }) { frame in
      if frame.index % 2 == 0 { usleep(10_000) }
      collected.consume(frame)
    }
    let view = try FrameView(device: device, size: size, colorPixelFormat: .rgba8Unorm, sink: sink)
    let queues = [device.makeCommandQueue(), device.makeCommandQueue()]
    try view.warmUp()
    for number in 0..<20 { try view.show(number, on: queues[number % 2]) }
    try view.waitUntilPresented()
    #expect(collected.frames.map(\.index) == Array(0..<20))
    #expect(collected.frames.map(\.drawableID) == Array(4...23))
    #expect(collected.frames.map(\.presentationTime) == (0..<20).map { MediaTime(value: $0, timescale: 30) })
    #expect(collected.frames.map(\.bytes) == (0..<20).map { Painting.bytes($0, size) })
    #expect(collected.frames.allSatisfy { $0.size == size && $0.pixelFormat == .rgba8Unorm })
    #expect(view.statistics == FrameView.Statistics(presented: 20, lost: 0, drawablesMade: 3, drawablesInUse: 0))
  }

  /// Frames arrive in the order of commits, not in the order in which drawables were taken.
  @Test(arguments: TestDevice.all)
  func drawablesMayBePresentedInAnotherOrder(_ test: TestDevice) throws {
    let (device, view, sink) = try open(test)
    let queue = device.makeCommandQueue()
    let drawables = try (0..<3).map { _ in try #require(try view.nextDrawable()) }
    for number in [2, 0, 1] { queue.paint(number, drawables[number]) }
    try view.waitUntilPresented()
    #expect(sink.frames.map(\.drawableID) == [3, 1, 2])
    #expect(sink.frames.map(\.bytes) == [2, 0, 1].map { Painting.bytes($0, size) })
    #expect(sink.frames.map(\.presentationTime) == [nil, nil, nil])
  }

  @Test(arguments: TestDevice.all)
  func whatIsRecordedAfterPresentIsShownToo(_ test: TestDevice) throws {
    let (device, view, sink) = try open(test)
    let drawable = try #require(view.currentDrawable)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    buffer.paint(7, drawable.texture)
    buffer.present(drawable)
    buffer.paint(8, drawable.texture)
    buffer.commit()
    try view.waitUntilPresented()
    #expect(sink.frames.map(\.bytes) == [Painting.bytes(8, size)])
  }

  @Test(arguments: TestDevice.all)
  func aDrawablePresentsItselfAfterWhatWasCommitted(_ test: TestDevice) async throws {
    let (device, view, sink) = try open(test)
    let drawable = try #require(view.currentDrawable)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    buffer.paint(9, drawable.texture)
    buffer.commit()
    drawable.present()
    try await view.presented()
    #expect(sink.frames.map(\.bytes) == [Painting.bytes(9, size)])
  }

  /// Cameras and views have blue first; a picture has red first.
  @Test(arguments: TestDevice.all)
  func aFrameBecomesAPicture(_ test: TestDevice) throws {
    let device = try test.open()
    let sink = CollectingFrameSink()
    let view = try FrameView(device: device, size: size, sink: sink)
    #expect(view.colorPixelFormat == .bgra8Unorm)
    view.clearColor = Painting.color(200)
    let pass = try #require(view.currentRenderPassDescriptor)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    buffer.render(pass, nil)
    buffer.present(try #require(view.currentDrawable))
    buffer.commit()
    try view.waitUntilPresented()
    let frame = try #require(sink.frames.first)
    #expect(frame.bytes == (0..<15).flatMap { _ in [3, 2, 200, 255] as [UInt8] })
    #expect(frame.bytesPerRow == 20)
    #expect(try frame.image() == Image(size: size, channels: .rgba, depth: .bits8, bytes: Painting.bytes(200, size)))
  }

  @Test(arguments: TestDevice.all)
  func aFailedBufferLosesItsFrameAloud(_ test: TestDevice) throws {
    let (device, view, sink) = try open(test)
    let queue = device.makeCommandQueue()
    try view.warmUp()
    try view.show(1, on: queue)
    let drawable = try #require(try view.nextDrawable())
    #expect(drawable.texture.isFramebufferOnly)
    let seen = Mutex<[Double]>([])
    drawable.addPresentedHandler { done in seen.withLock { $0.append(done.presentedTime) } }
    let buffer = queue.makeCommandBuffer(label: "stamped")
    buffer.compute { $0.stamp(drawable.texture) }
    buffer.present(drawable, atTime: MediaTime(value: 4, timescale: 30))
    buffer.commit()
    try view.show(3, on: queue)
    expectError(
      .unsupported, why: .containing("for render passes only"), remedy: .containing("framebufferOnly")
    ) { try view.waitUntilPresented() }
    // It is thrown once.
    try view.waitUntilPresented()

    #expect(sink.frames.map(\.bytes) == [1, 3].map { Painting.bytes($0, size) })
    #expect(sink.frames.map(\.index) == [0, 2])
    #expect(sink.lostFrames.map(\.index) == [1])
    #expect(sink.lostFrames.map(\.drawableID) == [drawable.drawableID])
    #expect(sink.lostFrames.map(\.presentationTime) == [MediaTime(value: 4, timescale: 30)])
    #expect(sink.lostFrames.map(\.error) == [buffer.error])
    #expect(seen.withLock { $0 } == [0])
    #expect(drawable.presentedTime == 0)
    #expect(view.statistics == FrameView.Statistics(presented: 2, lost: 1, drawablesMade: 3, drawablesInUse: 0))
  }

  @Test(arguments: TestDevice.all)
  func kernelsStoreIntoDrawablesThatAreNotForPassesAlone(_ test: TestDevice) throws {
    let (device, view, sink) = try open(test)
    view.framebufferOnly = false
    let drawable = try #require(view.currentDrawable)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    buffer.compute { $0.stamp(drawable.texture) }
    buffer.present(drawable)
    buffer.commit()
    try view.waitUntilPresented()
    #expect(sink.frames.first?.bytes.prefix(8) == [40, 7, 11, 13, 41, 7, 11, 13])
  }

  @Test(arguments: TestDevice.all)
  func aSinkThatFailsLosesTheFrame(_ test: TestDevice) throws {
    let device = try test.open()
    let lost = Mutex<[LostFrame]>([])
    let sink = ClosureFrameSink(onLoss: { frame in lost.withLock { $0.append(frame) } }) { frame in
      if frame.index == 1 { throw SafelightError(.output, "disk", why: "it is full", remedy: "make room") }
      if frame.index == 2 { throw CancellationError() }
    }
    let view = try FrameView(device: device, size: size, sink: sink)
    let queue = device.makeCommandQueue()
    try view.warmUp()
    for number in 0..<4 { try view.show(number, on: queue) }
    #expect(throws: SafelightError(.output, "disk", why: "it is full", remedy: "make room")) {
      try view.waitUntilPresented()
    }
    #expect(lost.withLock { $0.map(\.index) } == [1, 2])
    #expect(lost.withLock { $0.last?.error.why.contains("CancellationError") } == true)
    #expect(view.statistics == FrameView.Statistics(presented: 2, lost: 2, drawablesMade: 3, drawablesInUse: 0))
  }

  @Test(arguments: TestDevice.all)
  func framesArriveWhenTheViewIsGone(_ test: TestDevice) throws {
    let device = try test.open()
    let sink = GatedSink()
    let over = DispatchSemaphore(value: 0)
    weak var gone: FrameView?
    try scope {
      let view = try FrameView(device: device, size: size, colorPixelFormat: .rgba8Unorm, sink: sink)
      let drawable = try #require(view.currentDrawable)
      drawable.addPresentedHandler { _ in over.signal() }
      device.makeCommandQueue().paint(5, drawable)
      gone = view
    }
    #expect(gone == nil)
    sink.gate.signal()
    over.wait()
    #expect(sink.collected.frames.map(\.bytes) == [Painting.bytes(5, size)])
  }

  @Test(arguments: TestDevice.all)
  func theTimeOfPresentationIsKnownToHandlers(_ test: TestDevice) throws {
    let (_, view, _) = try open(test)
    let times = Mutex<[Double]>([])
    let drawable = try #require(view.currentDrawable)
    drawable.addPresentedHandler { done in times.withLock { $0.append(done.presentedTime) } }
    #expect(drawable.presentedTime == 0)
    drawable.present()
    try view.waitUntilPresented()
    #expect(drawable.presentedTime > 0)
    drawable.addPresentedHandler { done in times.withLock { $0.append(done.presentedTime) } }
    #expect(times.withLock { $0 } == [drawable.presentedTime, drawable.presentedTime])
  }

  /// A sink may keep frames; later frames do not change them.
  @Test(arguments: TestDevice.all)
  func keptFramesStayAsTheyWere(_ test: TestDevice) throws {
    let (device, view, sink) = try open(test, limit: 5)
    let queue = device.makeCommandQueue()
    for number in 0..<5 { try view.show(number, on: queue) }
    try view.waitUntilPresented()
    let kept = sink.frames
    for number in 5..<9 { try view.show(number, on: queue) }
    try view.waitUntilPresented()
    #expect(kept.map(\.bytes) == (0..<5).map { Painting.bytes($0, size) })
    #expect(sink.frames.map(\.bytes) == (4..<9).map { Painting.bytes($0, size) })
  }

  /// Textures, readbacks and their memory are made for the first frames and reused for all others.
  @Test(arguments: TestDevice.all)
  func aThousandFramesMakeNothingAfterTheFirst(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let seen = Mutex((sum: 0, places: Set<UInt>()))
    let sink = ClosureFrameSink(onLoss: { _ in }) { frame in
      let place = frame.bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
      seen.withLock { seen in
        seen.sum += Int(frame.bytes[2])
        seen.places.insert(place)
      }
    }
    let view = try FrameView(device: device, size: Size(64, 64), sink: sink)
    let queue = device.makeCommandQueue()
    try view.warmUp()
    for number in 0..<10 { try view.show(number, on: queue) }
    try view.waitUntilPresented()
    let before = device.statistics
    for number in 10..<1000 { try view.show(number, on: queue) }
    try view.waitUntilPresented()
    #expect(view.statistics == FrameView.Statistics(presented: 1000, lost: 0, drawablesMade: 3, drawablesInUse: 0))
    #expect(device.statistics == before)
    #expect(before.transferAllocations == 3)
    #expect(seen.withLock { $0.sum } == (0..<1000).reduce(0) { $0 + $1 % 256 })
    #expect(seen.withLock { $0.places.count } <= 3)
  }
}

extension ComputeCommandEncoder {
  /// Stores a function of each pixel's position, beginning with (40, 7, 11, 13), into `texture`.
  func stamp(_ texture: Texture) {
    setComputePipelineState(ComputePipelineState(ComputeFunctions.stamp))
    setTexture(texture, index: 1)
    setBytes(SIMD4<UInt32>(40, 7, 11, 13), index: 2)
    dispatchThreads(texture.size, threadsPerThreadgroup: Size(8, 8))
  }
}
