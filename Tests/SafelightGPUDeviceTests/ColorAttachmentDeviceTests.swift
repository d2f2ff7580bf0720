import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Color attachments: several targets, formats, blending, masks, load and store actions.
@Suite struct ColorAttachmentDeviceTests {
  /// Writes a known color to each of four targets, the third of integers.
  private static let several = ShaderFunction(
    "several",
    """
    layout(location = 0) out vec4 first;
    layout(location = 1) out vec4 second;
    layout(location = 2) out uvec4 third;
    layout(location = 3) out vec4 fourth;
    void main() {
      first = vec4(10.25, 20.25, 30.25, 40.25) / 255.0;
      second = vec4(50.25, 60.25, 70.25, 80.25) / 255.0;
      third = uvec4(1000, 2000, 3000, 4000) + uint(gl_FragCoord.x);
      fourth = vec4(0.5, -2.0, 0.25, 1.0);
    }
    """, arguments: [],
    twin: ShaderTwin(fragment: { fragment in
      var output = FragmentOutput(SIMD4(10.25, 20.25, 30.25, 40.25) / 255)
      output[1] = SIMD4(50.25, 60.25, 70.25, 80.25) / 255
      output[integer: 2] = SIMD4(1000, 2000, 3000, 4000) &+ UInt32(fragment.position.x)
      output[3] = SIMD4(0.5, -2, 0.25, 1)
      return output
    }))

  @Test(arguments: TestDevice.all)
  func fourTargetsGetTheirOwnColours(_ test: TestDevice) throws {
    let device = try test.open()
    let last: PixelFormat = device.canRead(.rgba16Float) ? .rgba16Float : .rgba8Unorm
    let formats: [PixelFormat] = [.rgba8Unorm, .bgra8Unorm, .rgba16Uint, last]
    var descriptor = RenderPipelineDescriptor(vertex: .fullScreen, fragment: Self.several)
    for (index, format) in formats.enumerated() { descriptor.colorAttachments[index].pixelFormat = format }
    let pipeline = try device.makeRenderPipelineState(descriptor)
    let textures = try formats.map { try device.makeTexture(Size(3, 2), $0) }
    let pass = RenderPassDescriptor(colorAttachments: textures.map { .init(texture: $0) })
    try device.render(pass, pipeline)
    func all(_ pixel: [UInt8]) -> [UInt8] { (0..<6).flatMap { _ in pixel } }
    #expect(try device.contents(of: textures[0]) == all([10, 20, 30, 40]))
    #expect(try device.contents(of: textures[1]) == all([70, 60, 50, 80]))
    let words = (0..<6).flatMap { place in [1000, 2000, 3000, 4000].map { UInt16($0 + place % 3) } }
    #expect(try device.contents(of: textures[2]).words(UInt16.self) == words)
    if last == .rgba16Float {
      #expect(try device.contents(of: textures[3]).words(UInt16.self).prefix(4) == [0x3800, 0xc000, 0x3400, 0x3c00])
    } else {
      #expect([[127, 0, 63, 255], [128, 0, 64, 255]].contains(try Array(device.contents(of: textures[3]).prefix(4))))
    }
  }

  @Test(arguments: TestDevice.all, PixelFormat.colors)
  func clearColoursAreNumbersOfTheFormat(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    guard device.canRead(format) else { return }
    let texture = try device.makeTexture(Size(2, 2), format)
    let numbers: [Double] =
      switch format.sampleKind {
      case .normalized: [0, 1, 0.2, 0.6]
      case .integer: [7, 65535, 0, 1234]
      case .float: [-0.5, 2, 0.25, 1000]
      case .depth, .stencil: []
      }
    let color = RenderPassDescriptor.ClearColor(
      red: numbers[0], green: numbers[1], blue: numbers[2], alpha: numbers[3])
    try device.render(RenderPassDescriptor(texture: texture, loadAction: .clearColor(color)))
    let pixel = try Array(device.contents(of: texture).prefix(format.bytesPerPixel))
    let bits = numbers.map { Self.sample($0, format) }
    let order = format == .bgra8Unorm ? [2, 1, 0, 3] : [0, 1, 2, 3]
    let expected = order.prefix(format.samplesPerPixel).flatMap { bits[$0] }
    #expect(pixel == expected)
  }

  private static func sample(_ value: Double, _ format: PixelFormat) -> [UInt8] {
    let bits: UInt32 =
      switch (format.sampleKind, format.bytesPerSample) {
      case (.normalized, _): UInt32((value * Double(format.maximum)).rounded())
      case (.integer, _): UInt32(value)
      case (.float, 4): Float(value).bitPattern
      case (.float, _): [-0.5: 0xb800, 2: 0x4000, 0.25: 0x3400, 1000: 0x63d0][value] ?? 0
      case (.depth, _), (.stencil, _): 0
      }
    return (0..<format.bytesPerSample).map { UInt8(truncatingIfNeeded: bits >> UInt32(8 * $0)) }
  }

  @Test(arguments: TestDevice.all, BlendOperation.allCases)
  func operationsJoinColours(_ test: TestDevice, _ operation: BlendOperation) throws {
    let device = try test.open()
    for (source, destination) in [(BlendFactor.one, BlendFactor.one), (.sourceAlpha, .oneMinusSourceAlpha)] {
      try expectBlending(device) {
        $0.rgbBlendOperation = operation
        $0.alphaBlendOperation = operation
        $0.sourceRGBBlendFactor = source
        $0.sourceAlphaBlendFactor = source
        $0.destinationRGBBlendFactor = destination
        $0.destinationAlphaBlendFactor = destination
      }
    }
  }

  @Test(arguments: TestDevice.all, BlendFactor.allCases)
  func factorsWeighColours(_ test: TestDevice, _ factor: BlendFactor) throws {
    let device = try test.open()
    try expectBlending(device) {
      $0.sourceRGBBlendFactor = factor
      $0.sourceAlphaBlendFactor = factor
    }
    guard factor != .sourceAlphaSaturated else { return }
    try expectBlending(device) {
      $0.sourceRGBBlendFactor = .zero
      $0.sourceAlphaBlendFactor = .zero
      $0.destinationRGBBlendFactor = factor
      $0.destinationAlphaBlendFactor = factor
    }
  }

  /// Draws half-transparent strips over each other: device and twin agree within one step of eight bits.
  private func expectBlending(_ device: Device, _ change: (inout ColorAttachmentState) -> Void) throws {
    var descriptor = DrawingFunctions.descriptor()
    descriptor.colorAttachments[0].isBlendingEnabled = true
    change(&descriptor.colorAttachments[0])
    let pipeline = try device.makeRenderPipelineState(descriptor)
    let plain = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    func quad(_ left: Float, _ right: Float, _ color: SIMD4<UInt8>) -> [Corner] {
      [Corner(left, -1, color), Corner(right, -1, color), Corner(left, 1, color), Corner(right, 1, color)]
    }
    try device.expectTwin(Size(8, 2), within: 1) {
      $0.setBlendColor(red: 0.2, green: 0.4, blue: 0.6, alpha: 0.8)
      for (pipeline, corners) in [
        (plain, quad(-1, 0.5, SIMD4(200, 100, 50, 180))), (pipeline, quad(-0.5, 1, SIMD4(30, 90, 250, 100))),
      ] {
        $0.draw(corners, as: .triangleStrip, with: pipeline)
      }
    }
  }

  @Test(arguments: TestDevice.all)
  func masksKeepChannels(_ test: TestDevice) throws {
    let device = try test.open()
    for (mask, expected) in [
      (ColorWriteMask.red, [255, 0, 0, 255]), ([.green, .blue], [0, 255, 255, 255]), ([], [0, 0, 0, 255]),
    ] as [(ColorWriteMask, [UInt8])] {
      var descriptor = DrawingFunctions.descriptor()
      descriptor.colorAttachments[0].writeMask = mask
      let pipeline = try device.makeRenderPipelineState(descriptor)
      let painted = try device.expectTwin(Size(2, 2)) { $0.draw(Corner.everywhere, with: pipeline) }
      #expect(painted.pixel(0, 0, width: 2) == expected)
    }
  }

  /// Different blending of each attachment, or a refusal if the device cannot.
  @Test(arguments: TestDevice.all)
  func attachmentsMayBlendApart(_ test: TestDevice) throws {
    let device = try test.open()
    let two = ShaderFunction(
      "two",
      """
      layout(location = 0) out vec4 first;
      layout(location = 1) out vec4 second;
      void main() { first = second = vec4(100.25, 100.25, 100.25, 100.25) / 255.0; }
      """, arguments: [],
      twin: ShaderTwin(fragment: { _ in
        var output = FragmentOutput(SIMD4(repeating: 100.25 / 255))
        output[1] = output[0]
        return output
      }))
    var descriptor = RenderPipelineDescriptor(
      vertex: .fullScreen, fragment: two, pixelFormats: .rgba8Unorm, .rgba8Unorm)
    descriptor.colorAttachments[0].writeMask = [.red, .alpha]
    descriptor.colorAttachments[1].isBlendingEnabled = true
    descriptor.colorAttachments[1].destinationRGBBlendFactor = .one
    guard device.capabilities.features.contains(.independentBlending) else {
      return expectError(.unsupported, remedy: .containing("several passes")) {
        try device.makeRenderPipelineState(descriptor)
      }
    }
    let pipeline = try device.makeRenderPipelineState(descriptor)
    let textures = try (0..<2).map { _ in try device.makeTexture(Size(2, 2), .rgba8Unorm) }
    let pass = RenderPassDescriptor(
      colorAttachments: textures.map { .init(texture: $0, loadAction: .clear(0.2, 0.2, 0.2, 0.2)) })
    try device.render(pass, pipeline)
    #expect(try device.contents(of: textures[0]).pixel(1, 1, width: 2) == [100, 51, 51, 100])
    let blended = try device.contents(of: textures[1]).pixel(1, 1, width: 2)
    #expect(blended.prefix(3).allSatisfy { (150...152).contains($0) } && blended[3] == 100, "\(blended)")
    // No blending state is left.
    try device.render(pass)
    #expect(try device.contents(of: textures[0]).pixel(1, 1, width: 2) == [51, 51, 51, 51])
  }

  /// A level and a slice can be targets; the other images are not changed.
  @Test(arguments: TestDevice.all)
  func levelsAndSlicesAreTargets(_ test: TestDevice) throws {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    let texture = try device.makeTexture(
      TextureDescriptor(.type2DArray, Size(8, 8), .rgba8Unorm, length: 3, levels: 3))
    try device.run {
      var attachment = RenderPassDescriptor.ColorAttachment(texture: texture, loadAction: .clear(0, 0, 1, 1))
      attachment.image = TextureImage(level: 1, slice: 2)
      $0.render(RenderPassDescriptor(colorAttachments: [attachment]), pipeline) { encoder in
        encoder.setVertexBytes([Corner(0, 0), Corner(1, 0), Corner(0, 1), Corner(1, 1)], index: 0)
      }
    }
    for level in 0..<3 {
      for slice in 0..<3 {
        let bytes = try device.contents(of: texture, image: TextureImage(level: level, slice: slice))
        bytes.expectPixels(Size(8 >> level, 8 >> level), "level \(level), slice \(slice)") { x, y in
          guard (level, slice) == (1, 2) else { return [0, 0, 0, 0] }
          return x >= 2 && y < 2 ? [255, 255, 255, 255] : [0, 0, 255, 255]
        }
      }
    }
  }

  /// Discarded contents do not harm: the texture can be used afterwards.
  @Test(arguments: TestDevice.all)
  func aTargetMayBeLetGo(_ test: TestDevice) throws {
    let device = try test.open()
    let textures = try (0..<2).map { _ in try device.makeTexture(Size(4, 4), .rgba8Unorm) }
    var pass = RenderPassDescriptor(
      colorAttachments: textures.map { .init(texture: $0, loadAction: .clear(1, 1, 1, 1)) })
    pass.colorAttachments[1].storeAction = .dontCare
    try device.render(pass)
    #expect(try device.contents(of: textures[0]) == [UInt8](repeating: 255, count: 64))
    try device.render(RenderPassDescriptor(texture: textures[1], loadAction: .clear(0, 1, 0, 1)))
    #expect(try device.contents(of: textures[1]).pixel(3, 3, width: 4) == [0, 255, 0, 255])
  }

  /// A texture that was a target is freed with its last reference, and others can be made and drawn into.
  @Test(arguments: TestDevice.all)
  func targetsComeAndGo(_ test: TestDevice) throws {
    // A device of its own, as other devices count the textures of all tests.
    let device = try test.openAnother()
    for round in 0..<20 {
      let texture = try device.makeTexture(Size(4 + round, 4), .rgba8Unorm)
      try device.render(RenderPassDescriptor(texture: texture, loadAction: .clear(0, 1, 0, 1)))
      #expect(try device.contents(of: texture).pixel(3 + round, 3, width: 4 + round) == [0, 255, 0, 255])
    }
    // The last command buffer may still hold its texture.
    #expect(device.statistics.textures <= 2)
  }
}
