import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Results of depth tests.
@Suite struct DepthTestDeviceTests {
  static let formats: [PixelFormat] = [.depth16Unorm, .depth32Float, .depth32Float_stencil8]

  @Test(arguments: TestDevice.all, formats)
  func theNearestOfThreeShowsInEveryOrder(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    let sheets: [(Float, SIMD4<UInt8>)] = [(0.25, .red), (0.5, .green), (0.75, .blue)]
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
      let color = try device.deepColor(format) { encoder in
        encoder.testNearer(device)
        for index in order { encoder.draw(.sheet(sheets[index].0, sheets[index].1)) }
      }
      #expect(color == .red, "in order \(order)")
      // Without a test the last draw is visible.
      let untested = try device.deepColor(format) { encoder in
        for index in order { encoder.draw(.sheet(sheets[index].0, sheets[index].1)) }
      }
      #expect(untested == sheets[order[2]].1)
    }
  }

  /// New depths below, at and above the existing one.
  @Test(arguments: TestDevice.all, CompareFunction.allCases)
  func everyFunctionCompares(_ test: TestDevice, _ function: CompareFunction) throws {
    let device = try test.open()
    let passing: [Bool] =
      switch function {
      case .never: [false, false, false]
      case .less: [true, false, false]
      case .equal: [false, true, false]
      case .lessEqual: [true, true, false]
      case .greater: [false, false, true]
      case .notEqual: [true, false, true]
      case .greaterEqual: [false, true, true]
      case .always: [true, true, true]
      }
    for format in Self.formats {
      for (depth, passes) in zip([Float(0.25), 0.5, 0.75], passing) {
        let color = try device.deepColor(format, clearDepth: 0.5) { encoder in
          encoder.test(device) { $0.depthCompareFunction = function }
          encoder.draw(.sheet(depth, .green))
        }
        #expect(color == (passes ? .green : .black), "\(function.rawValue) of \(depth) in \(format.rawValue)")
      }
    }
  }

  @Test(arguments: TestDevice.all)
  func depthsAreKeptWhereAskedFor(_ test: TestDevice) throws {
    let device = try test.open()
    for writes in [false, true] {
      for function in [CompareFunction.less, .always] {
        let color = try device.deepColor(.depth32Float) { encoder in
          encoder.test(device) {
            $0.depthCompareFunction = function
            $0.isDepthWriteEnabled = writes
          }
          encoder.draw(.sheet(0.25, .red))
          encoder.test(device) { $0.depthCompareFunction = .less }
          encoder.draw(.sheet(0.5, .green))
        }
        #expect(color == (writes ? .red : .green), "\(function.rawValue), writes: \(writes)")
      }
    }
  }

  /// A pass without draws clears too, and rounds to the format.
  @Test(arguments: TestDevice.all, formats)
  func clearsAreDepths(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    for depth in [0, 0.3, 0.5, 1] {
      let texture = try device.makeTexture(Size(3, 2), format)
      let words = try device.run { buffer in
        let pass = RenderPassDescriptor(
          colorAttachments: [], depthAttachment: .init(texture: texture, storeAction: .store, clearDepth: depth))
        buffer.render(pass)
        return try buffer.words(texture, device)
      }
      let expected = format == .depth16Unorm ? UInt32((depth * 65535).rounded()) : Float(depth).bitPattern
      #expect(try words.contents().words(UInt32.self) == [UInt32](repeating: expected, count: 6))
    }
  }

  @Test(arguments: TestDevice.all, formats)
  func aLaterPassLoadsDepths(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    let texture = try device.makeTexture(Size(2, 2), format)
    let target = try device.makeTexture(Size(2, 2), .rgba8Unorm)
    var descriptor = DepthDrawing.descriptor(format)
    descriptor.stencilAttachmentPixelFormat = nil
    let pipeline = try device.makeRenderPipelineState(descriptor)
    func draw(
      _ buffer: CommandBuffer, _ action: RenderPassDescriptor.DepthStencilLoadAction, _ z: Float, _ color: SIMD4<UInt8>
    ) {
      let pass = RenderPassDescriptor(
        colorAttachments: [.init(texture: target, loadAction: .load)],
        depthAttachment: .init(texture: texture, loadAction: action, storeAction: .store))
      buffer.render(pass) { encoder in
        encoder.testNearer(device)
        encoder.draw(.sheet(z, color), with: pipeline)
      }
    }
    try device.run { buffer in
      draw(buffer, .clear, 0.5, .red)
      draw(buffer, .load, 0.75, .green)
    }
    #expect(try device.contents(of: target).pixel(1, 1, width: 2) == [255, 0, 0, 255])
    try device.run { draw($0, .load, 0.25, .blue) }
    #expect(try device.contents(of: target).pixel(1, 1, width: 2) == [0, 0, 255, 255])
    try device.run { draw($0, .clear, 0.75, .green) }
    #expect(try device.contents(of: target).pixel(1, 1, width: 2) == [0, 255, 0, 255])
  }

  /// Two planes with opposite slopes, which meet between columns 3 and 4, and between rows.
  @Test(arguments: TestDevice.all, [1, 4])
  func planesMeetInALine(_ test: TestDevice, _ samples: Int) throws {
    for format in Self.formats { try expectPlanesToMeet(try test.open(), format, samples) }
  }

  private func expectPlanesToMeet(_ device: Device, _ format: PixelFormat, _ samples: Int) throws {
    func plane(_ left: Float, _ right: Float, _ color: SIMD4<UInt8>) -> [Corner] {
      [
        Corner(-1, 1, left, color), Corner(1, 1, right, color), Corner(-1, -1, left, color),
        Corner(1, 1, right, color), Corner(1, -1, right, color), Corner(-1, -1, left, color),
      ]
    }
    let size = Size(8, 8)
    let painted = try device.deep(size, format, samples: samples, comparesDepths: false) { encoder in
      encoder.testNearer(device)
      encoder.draw(plane(0.125, 0.875, .red))
      encoder.draw(plane(0.875, 0.125, .green))
    }
    painted.expectPixels(size) { x, _ in x < 4 ? [255, 0, 0, 255] : [0, 255, 0, 255] }
  }

  /// A discarded pixel writes neither color nor depth.
  @Test(arguments: TestDevice.all)
  func discardedPixelsKeepNoDepth(_ test: TestDevice) throws {
    let device = try test.open()
    let color = try device.deepColor(.depth32Float, fragment: Self.discardingRed) { encoder in
      encoder.testNearer(device)
      encoder.draw(.sheet(0.25, .red))
      encoder.draw(.sheet(0.5, .green))
    }
    #expect(color == .green)
  }

  private static let discardingRed = DrawingFunctions.coloring(
    "discardingRed", and: "if (vertexColor.r > 0.5) discard;"
  ) { $0.isDiscarded = $1.varyings[0].x > 0.5 }

  /// The depth may be the fragment function's.
  @Test(arguments: TestDevice.all, formats)
  func functionsWriteDepths(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    let color = try device.deepColor(format, fragment: Self.turned) { encoder in
      encoder.testNearer(device)
      encoder.draw(.sheet(0.25, .red))
      encoder.draw(.sheet(0.75, .green))
    }
    #expect(color == .green)
  }

  private static let turned = DrawingFunctions.coloring("turned", and: "gl_FragDepth = 1.0 - gl_FragCoord.z;") {
    $0.depth = 1 - $1.position.z
  }

  /// A pass without colors needs no fragment function.
  @Test(arguments: TestDevice.all, formats)
  func aPassMayHaveDepthAlone(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    let texture = try device.makeTexture(Size(4, 2), format)
    var descriptor = RenderPipelineDescriptor(vertex: DrawingFunctions.flat)
    descriptor.vertexDescriptor = Corner.descriptor
    descriptor.depthAttachmentPixelFormat = format
    let pipeline = try device.makeRenderPipelineState(descriptor)
    let pass = RenderPassDescriptor(
      colorAttachments: [], depthAttachment: .init(texture: texture, storeAction: .store, clearDepth: 0.5))
    let words = try device.run { buffer in
      buffer.render(pass, with: pipeline) { encoder in
        encoder.testNearer(device)
        encoder.setScissorRect(Region(x: 0, y: 0, width: 2, height: 2))
        encoder.draw(.sheet(0.25, .red))
        encoder.setScissorRect(Region(x: 1, y: 0, width: 3, height: 1))
        encoder.draw(.sheet(0.75, .red))
      }
      return try buffer.words(texture, device)
    }
    let (near, far) = format == .depth16Unorm ? (16384, 32768) : (Float(0.25).bitPattern, Float(0.5).bitPattern)
    #expect(try words.contents().words(UInt32.self) == [near, near, far, far, near, near, far, far])
  }

  @Test(arguments: TestDevice.all)
  func viewportsHaveDepths(_ test: TestDevice) throws {
    let device = try test.open()
    let color = try device.deepColor(.depth32Float) { encoder in
      encoder.testNearer(device)
      encoder.draw(.sheet(0.5, .red))
      encoder.setViewport(Viewport(originX: 0, originY: 0, width: 3, height: 2, znear: 0, zfar: 0.25))
      encoder.draw(.sheet(1, .green))
      encoder.setViewport(Viewport(originX: 0, originY: 0, width: 3, height: 2, znear: 1, zfar: 0))
      encoder.draw(.sheet(0.5, .blue))
    }
    #expect(color == .green)
  }

  /// Visibility behind another draw, before it, and with a failed stencil test.
  @Test(arguments: TestDevice.all)
  func onlyWhatPassesIsVisible(_ test: TestDevice) throws {
    let device = try test.open()
    let answers = try device.makeBuffer(bytes: [UInt8](repeating: 0xee, count: 24))
    let texture = try device.makeTexture(Size(4, 4), .depth32Float_stencil8)
    var pass = RenderPassDescriptor(
      colorAttachments: [.init(texture: try device.makeTexture(Size(4, 4), .rgba8Unorm))],
      depthAttachment: .init(texture: texture), stencilAttachment: .init(texture: texture))
    pass.visibilityResultBuffer = answers
    let pipeline = try device.makeRenderPipelineState(DepthDrawing.descriptor(.depth32Float_stencil8))
    try device.render(pass) { encoder in
      encoder.testNearer(device)
      encoder.draw(.sheet(0.5, .red), with: pipeline)
      encoder.setVisibilityResultMode(.boolean, offset: 0)
      encoder.draw(.sheet(0.75, .green))
      encoder.setVisibilityResultMode(.boolean, offset: 8)
      encoder.draw(.sheet(0.25, .green))
      encoder.setVisibilityResultMode(.boolean, offset: 16)
      encoder.test(device) { $0.frontFaceStencil.stencilCompareFunction = .never }
      encoder.draw(.sheet(0.125, .green))
    }
    #expect(try device.contents(of: answers).words(UInt64.self) == [0, 1, 0])
  }
}
