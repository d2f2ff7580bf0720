import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Metal's conventions for directions, front faces and origins.
@Suite struct ClipSpaceDeviceTests {
  private let black: [UInt8] = [0, 0, 0, 255]
  private let white: [UInt8] = [255, 255, 255, 255]
  /// A triangle that is clockwise on the left, and one that is counter-clockwise on the right.
  private let twoSides = [Corner(-1, -1), Corner(-1, 1), Corner(0, 1), Corner(1, -1), Corner(1, 1), Corner(0, 1)]

  /// The upper right quarter of clip space is the upper right of the picture.
  @Test(arguments: TestDevice.all)
  func upIsUp(_ test: TestDevice) throws {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    let painted = try device.expectTwin(Size(8, 4)) {
      $0.draw([Corner(0, 0), Corner(1, 0), Corner(0, 1), Corner(1, 1)], as: .triangleStrip, with: pipeline)
    }
    painted.expectPixels(Size(8, 4)) { x, y in x >= 4 && y < 2 ? white : black }
  }

  /// Viewport, scissor and `gl_FragCoord` count from the top-left corner.
  @Test(arguments: TestDevice.all)
  func rowsCountFromTheTop(_ test: TestDevice) throws {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(
      RenderPipelineDescriptor(vertex: .fullScreen, fragment: Self.place, pixelFormats: .rgba8Unorm))
    let painted = try device.expectTwin(Size(8, 8), with: pipeline) {
      $0.setViewport(Viewport(originX: 1, originY: 2, width: 5, height: 4))
      $0.setScissorRect(Region(x: 2, y: 0, width: 6, height: 4))
      $0.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
    }
    painted.expectPixels(Size(8, 8)) { x, y in
      (2..<6).contains(x) && (2..<4).contains(y) ? [UInt8(x), UInt8(y), 0, 255] : black
    }
  }

  /// Depths from 0 to w are kept, others are clipped.
  @Test(arguments: TestDevice.all)
  func depthRunsFromZeroToOne(_ test: TestDevice) throws {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(
      RenderPipelineDescriptor(vertex: Self.atDepth, fragment: Self.depth, pixelFormats: .rgba8Unorm))
    for (depth, byte) in [(Float(-0.01), nil), (0, UInt8(0)), (0.2, 51), (0.6, 153), (1, 255), (1.01, nil)] {
      let painted = try device.expectTwin(Size(2, 2), with: pipeline) {
        $0.setVertexBytes(SIMD4<Float>(depth, 0, 0, 0), index: 0)
        $0.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
      }
      #expect(painted.pixel(0, 0, width: 2) == (byte.map { [$0, 255, 0, 255] } ?? black), "depth \(depth)")
    }
    let painted = try device.expectTwin(Size(2, 2), with: pipeline) {
      $0.setViewport(Viewport(originX: 0, originY: 0, width: 2, height: 2, znear: 0.2, zfar: 0.6))
      $0.setVertexBytes(SIMD4<Float>(0.5, 0, 0, 0), index: 0)
      $0.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
    }
    #expect(painted.pixel(0, 0, width: 2) == [102, 255, 0, 255])
  }

  /// Left-bottom, left-top, right-top is clockwise in the picture, by default the front.
  @Test(
    arguments: TestDevice.all,
    [(CullMode.none, true, true), (.back, true, false), (.front, false, true)] as [(CullMode, Bool, Bool)])
  func sidesAreCulled(_ test: TestDevice, _ expected: (mode: CullMode, clockwise: Bool, counterClockwise: Bool)) throws
  {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    for winding in [Winding.clockwise, .counterClockwise] {
      let painted = try device.expectTwin(Size(8, 8), with: pipeline) {
        $0.setCullMode(expected.mode)
        $0.setFrontFacing(winding)
        $0.draw(twoSides)
      }
      let (left, right) = (painted.pixel(0, 1, width: 8), painted.pixel(7, 1, width: 8))
      let isSwapped = winding == .counterClockwise && expected.mode != .none
      #expect(left == (expected.clockwise != isSwapped ? white : black))
      #expect(right == (expected.counterClockwise != isSwapped ? white : black))
    }
  }

  @Test(arguments: TestDevice.all)
  func fragmentsKnowTheirSide(_ test: TestDevice) throws {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor(DrawingFunctions.flat, Self.side))
    let painted = try device.expectTwin(Size(8, 8)) { $0.draw(twoSides, with: pipeline) }
    #expect(painted.pixel(0, 1, width: 8) == [255, 0, 0, 255])
    #expect(painted.pixel(7, 1, width: 8) == [0, 255, 0, 255])
  }

  /// State ends with its pass: the next pass, a clear and a copy do not see it.
  @Test(arguments: TestDevice.all)
  func nothingLeaksIntoTheNextPass(_ test: TestDevice) throws {
    let device = try test.open()
    var descriptor = DrawingFunctions.descriptor()
    descriptor.colorAttachments[0].isBlendingEnabled = true
    descriptor.colorAttachments[0].destinationRGBBlendFactor = .one
    descriptor.colorAttachments[0].writeMask = .red
    let odd = try device.makeRenderPipelineState(descriptor)
    let plain = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    let quad = [Corner(-1, -1), Corner(1, -1), Corner(-1, 1), Corner(1, 1)]
    let textures = try (0..<3).map { _ in try device.makeTexture(Size(8, 8), .rgba8Unorm) }
    let (first, second, third) = (textures[0], textures[1], textures[2])
    try device.run { buffer in
      buffer.render(RenderPassDescriptor(texture: first, loadAction: .clear(0, 0, 0, 0)), odd) { encoder in
        encoder.setViewport(Viewport(originX: 1, originY: 1, width: 3, height: 3, znear: 0.5, zfar: 0.75))
        encoder.setScissorRect(Region(x: 2, y: 2, width: 1, height: 1))
        encoder.setCullMode(.back)
        encoder.setFrontFacing(.counterClockwise)
        encoder.setVertexBytes(quad, index: 0)
      }
      buffer.render(RenderPassDescriptor(texture: third, loadAction: .clear(0, 1, 1, 1)), nil)
      buffer.render(RenderPassDescriptor(texture: second, loadAction: .clear(1, 1, 0, 0)), plain) { next in
        next.setVertexBytes(
          [Corner(-1, -1, SIMD4(0, 255, 255, 255)), Corner(1, -1), Corner(-1, 1)] + [quad[3]], index: 0)
      }
    }
    #expect(try device.contents(of: second) == [UInt8](repeating: 255, count: 256))
    #expect(try device.contents(of: third) == (0..<64).flatMap { _ in [0, 255, 255, 255] as [UInt8] })
    try device.contents(of: first).expectPixels(Size(8, 8)) { x, y in
      x == 2 && y == 2 ? [255, 0, 0, 0] : [0, 0, 0, 0]
    }
  }

  // MARK: Functions

  private static func fragment(
    _ name: String, _ expression: String, _ twin: @escaping @Sendable (FragmentArguments) -> SIMD4<Float>
  ) -> ShaderFunction {
    ShaderFunction(
      name, "layout(location = 0) out vec4 color; void main() { color = \(expression); }", arguments: [],
      twin: ShaderTwin(fragment: { FragmentOutput(twin($0)) }))
  }

  private static let place = fragment("place", "vec4((gl_FragCoord.xy - 0.25) / 255.0, 0.0, 1.0)") {
    SIMD4(($0.position.x - 0.25) / 255, ($0.position.y - 0.25) / 255, 0, 1)
  }

  private static let depth = fragment("depth", "vec4(gl_FragCoord.z + 0.25 / 255.0, 1.0, 0.0, 1.0)") {
    SIMD4($0.position.z + 0.25 / 255, 1, 0, 1)
  }

  private static let side = fragment("side", "gl_FrontFacing ? vec4(1, 0, 0, 1) : vec4(0, 1, 0, 1)") {
    $0.isFrontFacing ? SIMD4(1, 0, 0, 1) : SIMD4(0, 1, 0, 1)
  }

  private static let atDepth = ShaderFunction(
    "atDepth",
    """
    layout(std140, binding = 0) uniform Parameters { vec4 depth; };
    void main() {
      gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, depth.x, 1.0);
    }
    """, arguments: [.bytes(0)],
    twin: ShaderTwin(vertex: { corner in
      let (x, y) = (Float(corner.vertexID & 1), Float(corner.vertexID >> 1))
      let depth = corner.arguments.value(SIMD4<Float>.self, 0).x
      return VertexOutput(position: SIMD4(x * 2 - 1, y * 2 - 1, depth, 1))
    }))
}
