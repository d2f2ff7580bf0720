import Dispatch
import SafelightGPU
import SafelightImage
import Synchronization
import TestSupport
import Testing

/// Every kind of command, captured on one device and replayed on that and on another kind of device.
@Suite struct CaptureDeviceTests {
  /// The device itself, the Swift twins, and a GL context if the device has none.
  private func others(_ test: TestDevice) throws -> [Device] {
    let contexts = try TestDevice.gles.prefix(1).map { try $0.open() }
    return [try test.open(), try Device.open(.cpu)] + (test.name == "cpu" ? contexts : [])
  }

  /// On a device of its own, as a device can have only one capture in progress.
  private func capture(_ test: TestDevice, _ scene: CaptureScene) throws -> Capture {
    let device = try test.openAnother()
    let buffer = try scene.record(device)
    return try #require(device.captures(of: .commandBuffer(buffer)) { try buffer.finish() }.first)
  }

  @Test(arguments: TestDevice.all, CaptureScene.all)
  func aCaptureLeavesTheSameBehindEverywhere(_ test: TestDevice, _ scene: CaptureScene) throws {
    let capture = try capture(test, scene)
    #expect(capture.outputs.count >= scene.outputs, "\(capture.outputs)")
    for device in try others(test) {
      let outputs = try capture.replay(on: device, twins: CaptureScene.twins)
      #expect(outputs.map(\.name) == capture.outputs)
      for output in outputs {
        #expect(output.difference == nil, "\(output.name) on \(device.name)")
        // Outputs of zeros would be equal even if nothing ran.
        if !scene.leavesZeros { #expect(output.expected.contains { $0 != 0 }, "\(output.name) shows nothing") }
      }
    }
  }

  /// The earlier contents of resources are inputs: without them, the outputs differ.
  @Test(arguments: TestDevice.all)
  func inputsAreWhatWasThereBefore(_ test: TestDevice) throws {
    var capture = try capture(test, .copies)
    #expect(capture.manifest.inputs.count >= 2)
    capture.manifest.inputs = []
    let outputs = try capture.replay(on: test.open(), twins: CaptureScene.twins)
    #expect(outputs.contains { $0.difference != nil })
  }

  @Test(arguments: TestDevice.all)
  func aFunctionThatChangedGivesADifference(_ test: TestDevice) throws {
    var capture = try capture(test, .dispatches)
    let name = try #require(capture.texts.keys.first)
    capture.texts[name] = capture.texts[name]?.split(separator: "+= amount.x").joined(separator: "+= amount.x + 1u")
    let outputs = try capture.replay(on: test.open(), twins: CaptureScene.twins)
    // On the CPU the twin runs, whatever the text is.
    #expect(outputs.contains { $0.difference != nil } == (test.name != "cpu"))
  }

  @Test(arguments: TestDevice.all)
  func theCPUSaysWhichTwinIsMissing(_ test: TestDevice) throws {
    let capture = try capture(test, .dispatches)
    expectError(.unsupported, what: "command 2 of 'compute': add", remedy: .containing("TwinLibrary")) {
      try CaptureReplay(capture, device: Device.open(.cpu), twins: TwinLibrary())
    }
    if test.name != "cpu" {
      // GLSL comes from the capture, so a context needs no twin.
      #expect(try capture.replay(on: test.open()).allSatisfy { $0.difference == nil })
    }
  }

  /// Depths that a pass loads from an earlier command buffer cannot be read: the capture names them, and does not
  /// replay.
  @Test(arguments: TestDevice.all)
  func depthsOfEarlierCommandBuffersAreMissed(_ test: TestDevice) throws {
    let scene = CaptureScene(testDescription: "loaded", outputs: 0) { device, buffer in
      let texture = try device.makeTexture(Size(4, 4), .depth16Unorm, label: "shadow map")
      let target = try device.makeTexture(Size(4, 4), .rgba8Unorm)
      let pass = RenderPassDescriptor(
        colorAttachments: [.init(texture: target, loadAction: .clear(0, 0, 0, 1))],
        depthAttachment: .init(texture: texture, loadAction: .load, storeAction: .store))
      let pipeline = try device.makeRenderPipelineState(DepthDrawing.descriptor(.depth16Unorm))
      buffer.render(pass) { $0.draw(.sheet(0.5, .red), with: pipeline) }
    }
    let capture = try capture(test, scene)
    #expect(capture.manifest.missingInputs == ["shadow map"])
    #expect(capture.manifest.notes.contains { $0.hasSuffix("holds depths or stencils, which cannot be read") })
    expectError(.unsupported, what: "texture 'shadow map'") {
      try CaptureReplay(capture, device: try test.open(), twins: CaptureScene.twins)
    }
  }

  /// Several samples a pixel cannot be read either.
  @Test(arguments: TestDevice.all)
  func samplesOfEarlierCommandBuffersAreMissed(_ test: TestDevice) throws {
    let scene = CaptureScene(testDescription: "samples", outputs: 1) { device, buffer in
      let shape = TextureDescriptor(.type2DMultisample, Size(8, 8), .rgba8Unorm, samples: 4)
      let attachment = RenderPassDescriptor.ColorAttachment(
        texture: try device.makeTexture(shape, label: "edges"), loadAction: .load, storeAction: .multisampleResolve,
        resolveTexture: try device.makeTexture(Size(8, 8), .rgba8Unorm))
      buffer.render(RenderPassDescriptor(colorAttachments: [attachment]))
    }
    let capture = try capture(test, scene)
    #expect(capture.manifest.missingInputs == ["edges"])
    expectError(.unsupported, what: "texture 'edges'", why: .containing("several samples a pixel")) {
      try CaptureReplay(capture, device: try test.open(), twins: CaptureScene.twins)
    }
  }

  /// A capture does not change the results of the command buffer.
  @Test(arguments: TestDevice.all, CaptureScene.all)
  func capturingChangesNoResult(_ test: TestDevice, _ scene: CaptureScene) throws {
    let device = try test.open()
    let plain = try scene.record(device)
    try plain.finish()
    let capture = try capture(test, scene)
    let result = try capture.replay(on: device, twins: CaptureScene.twins)
    for (place, readback) in plain.recording.readbacks.enumerated() {
      #expect(try result.first { $0.name == "readback-\(place + 1)" }?.expected == readback.contents())
    }
  }
}

extension Recording {
  fileprivate var readbacks: [Readback] {
    commands.compactMap { entry in
      switch entry.command {
      case .readTexture(let read): read.readback
      case .readBuffer(_, _, let readback): readback
      default: nil
      }
    }
  }
}

/// The inputs of a capture are the contents that the command buffer saw, whatever other queues do meanwhile.
@Suite struct CaptureOrderDeviceTests {
  /// Runs `body` while two queues fill `buffer` with changing bytes.
  private func hammering(_ buffer: Buffer, on device: Device, _ body: () throws -> Void) rethrows {
    let isOver = Mutex(false)
    let workers = DispatchGroup()
    for worker in 0..<2 {
      let queue = device.makeCommandQueue(label: "hammer \(worker)", maxCommandBufferCount: 32)
      // A queue of its own has a thread of its own.
      DispatchQueue(label: "hammer \(worker)").async(group: workers) {
        var value = UInt8(worker)
        while !isOver.withLock({ $0 }) {
          let work = queue.makeCommandBuffer(label: "hammer")
          work.blit { $0.fill(buffer, range: 0..<buffer.length, value: value) }
          work.commit()
          value &+= 2
        }
      }
    }
    defer {
      isOver.withLock { $0 = true }
      workers.wait()
    }
    try body()
  }

  /// The results of another queue before an event are inputs of the command buffer that waits for it.
  @Test(arguments: TestDevice.all)
  func inputsAreReadBehindTheWaitsBeforeAllElse(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let shared = try device.makeBuffer(length: 64, storageMode: .private, label: "shared")
    let copy = try device.makeBuffer(length: 64, storageMode: .private, label: "copy")
    let event = device.makeEvent(label: "made")
    let consumer = device.makeCommandQueue().makeCommandBuffer(label: "consumer")
    consumer.pushDebugGroup("frame")
    consumer.encodeWaitForEvent(event, value: 1)
    consumer.blit { $0.copy(from: shared, range: 0..<64, to: copy, offset: 0) }
    consumer.popDebugGroup()
    let producer = device.makeCommandQueue().makeCommandBuffer(label: "producer")
    producer.blit { $0.fill(shared, range: 0..<64, value: 5) }
    producer.encodeSignalEvent(event, value: 1)
    let captures = try device.captures(labels: "consumer") {
      consumer.commit()
      producer.commit()
      try consumer.waitUntilCompleted()
    }
    let outputs = try #require(captures.first).replay(on: device)
    #expect(outputs.map(\.expected) == [[UInt8](repeating: 5, count: 64)])
    #expect(outputs.allSatisfy { $0.difference == nil })
  }

  /// A shared event is described by its label and values, and a replay does not use it.
  @Test(arguments: TestDevice.all)
  func sharedEventsAreToldAndLeftAlone(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let event = device.makeSharedEvent(label: "both sides")
    let bytes = try device.makeBuffer(length: 16, label: "bytes")
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "watched")
    buffer.encodeSignalEvent(event, value: 1)
    buffer.encodeWaitForEvent(event, value: 2)
    buffer.blit { $0.fill(bytes, range: 0..<16, value: 8) }
    buffer.encodeSignalEvent(event, value: 3)
    event.notify(atValue: 1) { event, _ in event.signaledValue = 2 }
    let capture = try #require(device.captures { try buffer.finish() }.first)
    #expect(event.signaledValue == 3)
    let told = capture.manifest.commands.compactMap { $0.signalEvent ?? $0.waitForEvent }
    #expect(told.map(\.event) == ["both sides", "both sides", "both sides"] && told.map(\.value) == [1, 2, 3])
    event.signaledValue = 9
    let outputs = try capture.replay(on: device)
    #expect(outputs.count == 1 && outputs[0].difference == nil && event.signaledValue == 9)
  }

  @Test(arguments: TestDevice.all)
  func nothingComesBetweenTheInputsAndTheCommandBuffer(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let shared = try device.makeBuffer(length: 64, storageMode: .private, label: "shared")
    let copy = try device.makeBuffer(length: 64, storageMode: .private, label: "copy")
    let queue = device.makeCommandQueue(label: "captured")
    let captures = try device.captures(of: .commandQueue(queue)) {
      try hammering(shared, on: device) {
        // No wait, so that other queues have time to come between.
        for _ in 0..<400 {
          let buffer = queue.makeCommandBuffer(label: "watched")
          buffer.blit { $0.copy(from: shared, range: 0..<64, to: copy, offset: 0) }
          buffer.commit()
        }
        try device.run { _ in }
      }
    }
    #expect(captures.count == 400)
    let other = try Device.open(.cpu)
    for capture in captures {
      #expect(capture.manifest.inputs.map(\.resource) == ["buffer-1-shared"])
      let outputs = try capture.replay(on: other)
      #expect(outputs.map(\.name) == ["buffer-2-copy"])
      for output in outputs { #expect(output.difference == nil, "the input is not what the command buffer copied") }
    }
  }
}

/// Captures of command buffers after a reset.
@Suite struct CaptureLossDeviceTests {
  private let image = SyntheticImage.noise.image(Size(13, 7), channels: .rgba, depth: .bits8)

  /// A texture whose contents a reset has lost.
  private func lost(_ device: Device) throws -> Texture {
    let texture = try device.makeTexture(of: image, label: "kept")
    device.simulateContextLoss()
    return texture
  }

  /// If its inputs cannot be read no command runs, so that nobody sees a signal of a command buffer that is reported as
  /// failed.
  @Test(arguments: TestDevice.all)
  func withoutInputsNothingIsCarriedOut(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let texture = try lost(device)
    let bytes = try device.makeBuffer(length: 16)
    let event = device.makeSharedEvent()
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "frame 17")
    let readback = buffer.blit {
      $0.fill(bytes, range: 0..<16, value: 7)
      return $0.read(texture)
    }
    buffer.encodeSignalEvent(event, value: 1)
    let captures = try device.captures(labels: "frame") {
      expectError(.driver, what: "'frame 17': inputs of its capture: 'kept'") { try buffer.finish() }
    }
    #expect(throws: SafelightError.self) { try readback.contents() }
    #expect(event.signaledValue == 0)
    #expect(try device.contents(of: bytes) == [UInt8](repeating: 0, count: 16))
    let capture = try #require(captures.first)
    #expect(capture.failure?.contains("were lost") == true)
    #expect(capture.manifest.notes.contains { $0.hasPrefix("the inputs could not be read") })
  }

  /// Contents that a command buffer does not depend on may be lost: it runs as without a capture.
  @Test(arguments: TestDevice.all)
  func whatIsNotNeededMayBeLost(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let texture = try lost(device)
    let corner = Image(size: Size(1, 1), channels: .rgba, depth: .bits8, bytes: [1, 2, 3, 4])
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "frame 18")
    buffer.blit { $0.copy(from: corner, to: texture) }
    let captures = try device.captures(labels: "frame") { try buffer.finish() }
    let outputs = try #require(captures.first).replay(on: device)
    #expect(outputs.count == 1 && outputs[0].difference == nil)
    #expect(outputs[0].expected == [1, 2, 3, 4] + [UInt8](repeating: 0, count: image.bytes.count - 4))
  }
}
