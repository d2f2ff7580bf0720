import SafelightGPU
import SafelightImage
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
    defer { device.close() }
    let buffer = try scene.record(device)
    let collector = CaptureCollector()
    let manager = device.captureManager
    try manager.startCapture(CaptureDescriptor(captureObject: .commandBuffer(buffer), destination: collector))
    defer { manager.stopCapture() }
    try buffer.finish()
    return try #require(collector.captures.first)
  }

  @Test(arguments: TestDevice.all, CaptureScene.all)
  func aCaptureLeavesTheSameBehindEverywhere(_ test: TestDevice, _ scene: CaptureScene) throws {
    let capture = try capture(test, scene)
    #expect(capture.outputs.count >= scene.outputs, "\(capture.outputs)")
    for device in try others(test) {
      let outputs = try CaptureReplay(capture, device: device, twins: CaptureScene.twins).run()
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
    let outputs = try CaptureReplay(capture, device: try test.open(), twins: CaptureScene.twins).run()
    #expect(outputs.contains { $0.difference != nil })
  }

  @Test(arguments: TestDevice.all)
  func aFunctionThatChangedGivesADifference(_ test: TestDevice) throws {
    var capture = try capture(test, .dispatches)
    let name = try #require(capture.texts.keys.first)
    capture.texts[name] = capture.texts[name]?.split(separator: "+= amount.x").joined(separator: "+= amount.x + 1u")
    let outputs = try CaptureReplay(capture, device: try test.open(), twins: CaptureScene.twins).run()
    // On the CPU the twin runs, whatever the text is.
    #expect(outputs.contains { $0.difference != nil } == (test.name != "cpu"))
  }

  @Test(arguments: TestDevice.all)
  func theCPUSaysWhichTwinIsMissing(_ test: TestDevice) throws {
    let capture = try capture(test, .dispatches)
    expectError(.unsupported, what: "add", remedy: .containing("TwinLibrary")) {
      try CaptureReplay(capture, device: Device.open(.cpu), twins: TwinLibrary())
    }
    if test.name != "cpu" {
      // GLSL comes from the capture, so a context needs no twin.
      let outputs = try CaptureReplay(capture, device: try test.open(), twins: TwinLibrary()).run()
      #expect(outputs.allSatisfy { $0.difference == nil })
    }
  }

  /// Depths that a pass loads from an earlier command buffer cannot be read: the capture names them, and does not
  /// replay.
  @Test(arguments: TestDevice.all)
  func depthsOfEarlierCommandBuffersAreMissed(_ test: TestDevice) throws {
    let scene = CaptureScene(testDescription: "loaded", outputs: 0) { device, buffer in
      let texture = try device.makeTexture(Size(4, 4), .depth16Unorm, label: "shadow map")
      let target = try device.makeTexture(Size(4, 4), .rgba8Unorm)
      let encoder = buffer.makeRenderCommandEncoder(
        RenderPassDescriptor(
          colorAttachments: [.init(texture: target, loadAction: .clear(0, 0, 0, 1))],
          depthAttachment: .init(texture: texture, loadAction: .load, storeAction: .store)))
      encoder.setRenderPipelineState(try device.makeRenderPipelineState(DepthDrawing.descriptor(.depth16Unorm)))
      encoder.draw(.sheet(0.5, .red))
      encoder.endEncoding()
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
      var shape = TextureDescriptor(Size(8, 8), .rgba8Unorm)
      let resolved = try device.makeTexture(shape)
      shape.textureType = .type2DMultisample
      shape.sampleCount = 4
      var attachment = RenderPassDescriptor.ColorAttachment(
        texture: try device.makeTexture(shape, label: "edges"), loadAction: .load, storeAction: .multisampleResolve)
      attachment.resolveTexture = resolved
      buffer.makeRenderCommandEncoder(RenderPassDescriptor(colorAttachments: [attachment])).endEncoding()
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
    let result = try CaptureReplay(capture, device: device, twins: CaptureScene.twins).run()
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
