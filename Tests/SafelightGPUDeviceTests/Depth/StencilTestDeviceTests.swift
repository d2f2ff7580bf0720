import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Results of stencil tests.
@Suite struct StencilTestDeviceTests {
  static let formats: [PixelFormat] = [.stencil8, .depth32Float_stencil8]

  /// Returns whether the stencil after `body` is `number`, by one draw that tests it.
  private func expect(
    _ number: UInt32, _ device: Device, _ format: PixelFormat, clear: UInt32, samples: Int = 1,
    _ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation,
    _ body: (RenderCommandEncoder) throws -> Void
  ) throws {
    let color = try device.deepColor(format, samples: samples, clearStencil: clear, at: location) { encoder in
      try body(encoder)
      encoder.testStencil(device, reference: number) { $0.stencilCompareFunction = .equal }
      encoder.draw(.sheet(0.5, .blue))
    }
    #expect(color == .blue, comment, sourceLocation: location)
  }

  @Test(arguments: TestDevice.all, StencilOperation.allCases)
  func everyOperation(_ test: TestDevice, _ operation: StencilOperation) throws {
    let device = try test.open()
    for (old, new) in Self.results(operation) {
      for format in Self.formats {
        try expect(new, device, format, clear: old, "\(operation.rawValue) of \(old) in \(format.rawValue)") {
          $0.testStencil(device, reference: 77) { $0.depthStencilPassOperation = operation }
          $0.draw(.sheet(0.5, .red))
        }
      }
    }
  }

  /// The results for 0, 5 and 255 with the reference 77.
  private static func results(_ operation: StencilOperation) -> [(UInt32, UInt32)] {
    switch operation {
    case .keep: [(0, 0), (5, 5), (255, 255)]
    case .zero: [(0, 0), (5, 0), (255, 0)]
    case .replace: [(0, 77), (5, 77), (255, 77)]
    case .incrementClamp: [(0, 1), (5, 6), (255, 255)]
    case .decrementClamp: [(0, 0), (5, 4), (255, 254)]
    case .invert: [(0, 255), (5, 250), (255, 0)]
    case .incrementWrap: [(0, 1), (5, 6), (255, 0)]
    case .decrementWrap: [(0, 255), (5, 4), (255, 254)]
    }
  }

  /// The reference is the left operand: 4, 5 and 6 against 5.
  @Test(arguments: TestDevice.all, CompareFunction.allCases)
  func everyFunctionCompares(_ test: TestDevice, _ function: CompareFunction) throws {
    let device = try test.open()
    for (reference, order) in [(UInt32(4), -1), (5, 0), (6, 1)] {
      let passes =
        switch function {
        case .never: false
        case .less: order < 0
        case .equal: order == 0
        case .lessEqual: order <= 0
        case .greater: order > 0
        case .notEqual: order != 0
        case .greaterEqual: order >= 0
        case .always: true
        }
      let color = try device.deepColor(.stencil8, clearStencil: 5) { encoder in
        encoder.testStencil(device, reference: reference) { $0.stencilCompareFunction = function }
        encoder.draw(.sheet(0.5, .green))
      }
      #expect(color == (passes ? .green : .black), "\(reference) \(function.rawValue) 5")
    }
  }

  /// One operation for each of the three results of the tests.
  @Test(arguments: TestDevice.all, [1, 4])
  func eachOutcomeHasItsOperation(_ test: TestDevice, _ samples: Int) throws {
    let device = try test.open()
    let format = PixelFormat.depth32Float_stencil8
    func draw(_ z: Float, _ function: CompareFunction) -> (RenderCommandEncoder) -> Void {
      { encoder in
        encoder.testNearer(device)
        encoder.draw(.sheet(0.5, .red))
        encoder.test(device) {
          $0.frontFaceStencil.stencilCompareFunction = function
          $0.frontFaceStencil.stencilFailureOperation = .zero
          $0.frontFaceStencil.depthFailureOperation = .invert
          $0.frontFaceStencil.depthStencilPassOperation = .incrementWrap
          $0.depthCompareFunction = .less
        }
        encoder.setStencilReferenceValue(6)
        encoder.draw(.sheet(z, .green))
      }
    }
    try expect(0, device, format, clear: 6, samples: samples, "stencil fails", draw(0.25, .notEqual))
    try expect(249, device, format, clear: 6, samples: samples, "depth fails", draw(0.75, .equal))
    try expect(7, device, format, clear: 6, samples: samples, "both pass", draw(0.25, .equal))
    // The depth is not tested if the stencil fails.
    try expect(0, device, format, clear: 6, samples: samples, "both fail", draw(0.75, .notEqual))
  }

  @Test(arguments: TestDevice.all, formats)
  func masksHideBits(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    // The high half of 0xab becomes that of 0x5c.
    try expect(0x5b, device, format, clear: 0xab) {
      $0.testStencil(device, reference: 0x5c) {
        $0.depthStencilPassOperation = .replace
        $0.writeMask = 0xf0
      }
      $0.draw(.sheet(0.5, .red))
    }
    for (mask, passes) in [(UInt32(0x0f), true), (0xf0, false), (0xff, false)] {
      let color = try device.deepColor(format, clearStencil: 0xab) {
        $0.testStencil(device, reference: 0x1b) {
          $0.stencilCompareFunction = .equal
          $0.readMask = mask
        }
        $0.draw(.sheet(0.5, .green))
      }
      #expect(color == (passes ? .green : .black), "mask \(mask)")
    }
  }

  /// A draw's write mask does not affect the clear of the next pass.
  @Test(arguments: TestDevice.all, formats)
  func clearsTakeNoNoticeOfMasks(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    try device.deep(Size(3, 2), format, clearStencil: 9) {
      $0.test(device) {
        ($0.frontFaceStencil.writeMask, $0.backFaceStencil.writeMask) = (0, 0)
        $0.depthCompareFunction = .never
      }
      $0.draw(.sheet(0.5, .red))
    }
    try expect(3, device, format, clear: 3) { _ in }
  }

  /// Only the lowest eight bits of references and clears count.
  @Test(arguments: TestDevice.all, formats)
  func numbersHaveEightBits(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    try expect(0x1_0203, device, format, clear: 0xff03) { _ in }
    try expect(4, device, format, clear: 0) {
      $0.testStencil(device, reference: 0x104) { $0.depthStencilPassOperation = .replace }
      $0.draw(.sheet(0.5, .red))
    }
  }

  @Test(arguments: TestDevice.all, formats)
  func eachSideHasItsTestAndReference(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    for (isFront, winding, number) in [
      (true, Winding.clockwise, UInt32(20)), (false, .clockwise, 30), (true, .counterClockwise, 30),
      (false, .counterClockwise, 20),
    ] {
      try expect(number, device, format, clear: 1, "front: \(isFront), \(winding.rawValue)") { encoder in
        encoder.setFrontFacing(winding)
        encoder.test(device) {
          $0.frontFaceStencil.depthStencilPassOperation = .replace
          $0.backFaceStencil.depthStencilPassOperation = .replace
        }
        encoder.setStencilReferenceValues(front: 20, back: 30)
        encoder.draw(isFront ? .sheet(0.5, .red) : .backSheet(0.5, .red))
        encoder.setFrontFacing(.clockwise)
      }
    }
    // A side without a test passes and changes nothing.
    try expect(1, device, format, clear: 1) { encoder in
      encoder.test(device) {
        $0.backFaceStencil.stencilCompareFunction = .never
        $0.backFaceStencil.stencilFailureOperation = .zero
      }
      encoder.draw(.sheet(0.5, .red))
    }
  }

  /// A pass that loads continues with the stencils of the one before, and does not change depths.
  @Test(arguments: TestDevice.all)
  func aLaterPassLoadsStencils(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try device.makeTexture(Size(2, 2), .depth32Float_stencil8)
    let target = try device.makeTexture(Size(2, 2), .rgba8Unorm)
    let color = RenderPassDescriptor.ColorAttachment(texture: target, loadAction: .clear(0, 0, 0, 1))
    let pass = RenderPassDescriptor(
      colorAttachments: [color],
      depthAttachment: .init(texture: texture, loadAction: .load, storeAction: .store),
      stencilAttachment: .init(texture: texture, loadAction: .load, storeAction: .store))
    let depths = try device.run { buffer in
      buffer.render(
        RenderPassDescriptor(
          colorAttachments: [], depthAttachment: .init(texture: texture, storeAction: .store, clearDepth: 0.5)))
      buffer.render(
        RenderPassDescriptor(
          colorAttachments: [], stencilAttachment: .init(texture: texture, storeAction: .store, clearStencil: 7)))
      let pipeline = try device.makeRenderPipelineState(DepthDrawing.descriptor(.depth32Float_stencil8))
      buffer.render(pass) { encoder in
        encoder.testStencil(device, reference: 7) { $0.stencilCompareFunction = .equal }
        encoder.draw(.sheet(0.25, .green), with: pipeline)
      }
      return try buffer.words(texture, device)
    }
    #expect(try device.contents(of: target).pixel(1, 1, width: 2) == [0, 255, 0, 255])
    #expect(try depths.contents().words(UInt32.self) == [UInt32](repeating: Float(0.5).bitPattern, count: 4))
  }
}

extension RenderCommandEncoder {
  /// Sets a stencil test of front faces only, and its reference.
  fileprivate func testStencil(
    _ device: Device, reference: UInt32, _ body: (inout StencilDescriptor) -> Void
  ) {
    setStencilReferenceValue(reference)
    test(device) { body(&$0.frontFaceStencil) }
  }
}
