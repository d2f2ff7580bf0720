import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Pixels that triangles cover: the twins' rasterizer and the driver's agree to the last one.
@Suite struct RasterizationDeviceTests {
  private func triangles(_ count: Int, _ seed: UInt64, reach: Float = 1) -> [Corner] {
    var dice = Dice(seed)
    return (0..<count).flatMap { _ -> [Corner] in
      let color = dice.color()
      return (0..<3).map { _ in Corner(dice.next(-reach...reach), dice.next(-reach...reach), color) }
    }
  }

  private func draw(
    _ device: Device, _ corners: [Corner], _ type: PrimitiveType = .triangle, size: Size = Size(61, 47),
    _ set: (RenderCommandEncoder) -> Void = { _ in }
  ) throws -> [UInt8] {
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    return try device.expectTwin(size, with: pipeline) {
      set($0)
      $0.draw(corners, as: type)
    }
  }

  @Test(arguments: TestDevice.all, [UInt64(1), 2, 3, 4])
  func randomTriangles(_ test: TestDevice, _ seed: UInt64) throws {
    let painted = try draw(try test.open(), triangles(40, seed))
    #expect(Set(painted).count > 20, "hardly anything was drawn")
  }

  /// A triangle with a NaN corner is not drawn; other triangles of the draw are.
  @Test(
    arguments: TestDevice.all,
    [
      (Float.nan, Float(0)), (0, .nan), (.nan, .nan), (.infinity, 0), (0, -.infinity), (.infinity, .nan),
    ])
  func cornersThatAreNoPlaceDrawNothing(_ test: TestDevice, _ place: (x: Float, y: Float)) throws {
    let device = try test.open()
    let good = [Corner(-1, -1), Corner(0, -1), Corner(-1, 1)]
    let alone = try draw(device, good)
    #expect(Set(alone) == [0, 255])
    for index in 0..<3 {
      var bad = [Corner(-1, -1), Corner(1, -1), Corner(-1, 1)]
      (bad[index].x, bad[index].y) = (place.x, place.y)
      #expect(try draw(device, bad + good) == alone, "corner \(index)")
    }
  }

  @Test(arguments: TestDevice.all, [UInt64(5), 6, 7, 8])
  func trianglesPartlyOutside(_ test: TestDevice, _ seed: UInt64) throws {
    _ = try draw(try test.open(), triangles(40, seed, reach: 3))
  }

  @Test(arguments: TestDevice.all, [UInt64(9), 10])
  func strips(_ test: TestDevice, _ seed: UInt64) throws {
    var dice = Dice(seed)
    let corners = (0..<30).map { _ in Corner(dice.next(-1...1), dice.next(-1...1), dice.color()) }
    _ = try draw(try test.open(), corners, .triangleStrip)
  }

  @Test(
    arguments: TestDevice.all,
    [
      Viewport(originX: 5, originY: 9, width: 40, height: 30),
      Viewport(originX: -20, originY: -7, width: 60, height: 41),
      Viewport(originX: 30, originY: 20, width: 90, height: 77),
      Viewport(originX: -64, originY: -64, width: 256, height: 256),
    ])
  func viewports(_ test: TestDevice, _ viewport: Viewport) throws {
    let painted = try draw(try test.open(), triangles(30, 11, reach: 1.5)) { $0.setViewport(viewport) }
    // Nothing outside the viewport.
    let columns = viewport.originX..<viewport.originX + viewport.width
    let rows = viewport.originY..<viewport.originY + viewport.height
    painted.expectPixels(Size(61, 47)) { x, y in
      columns.contains(Double(x)) && rows.contains(Double(y)) ? nil : [0, 0, 0, 255]
    }
  }

  @Test(arguments: TestDevice.all)
  func scissorsCut(_ test: TestDevice) throws {
    let device = try test.open()
    let scissor = Region(x: 13, y: 4, width: 21, height: 30)
    let all = try draw(device, triangles(30, 12))
    let cut = try draw(device, triangles(30, 12)) { $0.setScissorRect(scissor) }
    cut.expectPixels(Size(61, 47)) { x, y in
      (13..<34).contains(x) && (4..<34).contains(y) ? all.pixel(x, y, width: 61) : [0, 0, 0, 255]
    }
  }

  /// Adjacent squares of 1.5 pixels with edges on pixel centers: each pixel is painted once.
  @Test(arguments: TestDevice.all)
  func aCommonEdgeBelongsToOneOfBoth(_ test: TestDevice) throws {
    let device = try test.open()
    var descriptor = DrawingFunctions.descriptor()
    descriptor.colorAttachments[0].isBlendingEnabled = true
    descriptor.colorAttachments[0].destinationRGBBlendFactor = .one
    descriptor.colorAttachments[0].destinationAlphaBlendFactor = .zero
    let pipeline = try device.makeRenderPipelineState(descriptor)
    let edges = (0...20).map { (number: Int) -> Float in -1 + (1 + 3 * Float(number)) / 32 }
    var corners: [Corner] = []
    let gray = SIMD4<UInt8>(64, 64, 64, 255)
    for (left, right) in zip(edges, edges.dropFirst()) {
      for (low, high) in zip(edges, edges.dropFirst()) {
        corners += [Corner(left, low, gray), Corner(right, low, gray), Corner(left, high, gray)]
        corners += [Corner(left, high, gray), Corner(right, low, gray), Corner(right, high, gray)]
      }
    }
    let buffer = try device.makeBuffer(bytes: corners.bytes)
    let texture = try device.makeTexture(Size(32, 32), .rgba8Unorm)
    try device.run {
      $0.render(RenderPassDescriptor(texture: texture, loadAction: .clear(0, 0, 0, 1)), with: pipeline) { encoder in
        encoder.setVertexBuffer(buffer, index: 0)
        encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: corners.count)
      }
    }
    let painted = try device.contents(of: texture)
    let counts = stride(from: 0, to: painted.count, by: 4).map { painted[$0] }
    #expect(Set(counts) == [0, 64], "a pixel was painted twice")
    #expect(counts.count { $0 == 64 } >= 28 * 28)
  }

  /// A left edge 0.02 pixels right of the centers of a column moves onto them if corners have 16 positions a pixel.
  @Test(arguments: [(8, [3, 4, 5, 6, 7]), (4, [2, 3, 4, 5, 6, 7])])
  func twinsFollowTheGridOfTheDevice(_ bits: Int, _ columns: [Int]) throws {
    let left = Float(-1 + 2.52 / 4)
    let corners = [Corner(left, -1), Corner(1, -1), Corner(left, 1), Corner(left, 1), Corner(1, -1), Corner(1, 1)]
    let painted = try draw(Device.open(.cpu), corners, size: Size(8, 8)) { $0.state.subpixelBits = bits }
    #expect((0..<8).filter { painted.pixel($0, 4, width: 8)[0] == 255 } == columns)
  }

  /// Pixels on edges: left and top edges in the picture belong to the triangle, as in Metal.
  @Test(arguments: TestDevice.all)
  func edgesOnCentresFollowOneRule(_ test: TestDevice) throws {
    let device = try test.open()
    // Edges through the centers of columns and rows 2 and 5 of 8.
    let (a, b): (Float, Float) = (-1 + 5.0 / 8, -1 + 11.0 / 8)
    let corners = [Corner(a, a), Corner(b, a), Corner(a, b), Corner(a, b), Corner(b, a), Corner(b, b)]
    let painted = try draw(device, corners, size: Size(8, 8))
    let columns = (0..<8).filter { x in (0..<8).contains { painted.pixel(x, $0, width: 8)[0] == 255 } }
    let rows = (0..<8).filter { y in (0..<8).contains { painted.pixel($0, y, width: 8)[0] == 255 } }
    #expect(columns == [2, 3, 4])
    #expect(rows.count == 3)
  }

  @Test(arguments: TestDevice.all)
  func smoothColoursAgreeWithinOne(_ test: TestDevice) throws {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(
      DrawingFunctions.descriptor(DrawingFunctions.smooth, DrawingFunctions.color))
    var dice = Dice(20)
    let corners = (0..<30).map { _ in Corner(dice.next(-1.2...1.2), dice.next(-1.2...1.2), dice.color()) }
    try device.expectTwin(Size(61, 47), within: 1) { $0.draw(corners, with: pipeline) }
  }

  /// A receding floor: its texture lines get denser toward the horizon.
  @Test(arguments: TestDevice.all)
  func varyingsAreInterpolatedInPerspective(_ test: TestDevice) throws {
    let device = try test.open()
    let floor = ShaderFunction(
      "floor",
      """
      out vec4 vertexColor;
      void main() {
        vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
        float w = 1.0 + 3.0 * corner.y;
        gl_Position = vec4((corner * 2.0 - 1.0) * vec2(w, w), 0.0, w);
        vertexColor = vec4(corner, 0.0, 1.0);
      }
      """, arguments: [],
      twin: ShaderTwin(vertex: { corner in
        let (x, y) = (Float(corner.vertexID & 1), Float(corner.vertexID >> 1))
        let w = 1 + 3 * y
        return VertexOutput(position: SIMD4((x * 2 - 1) * w, (y * 2 - 1) * w, 0, w), varyings: [SIMD4(x, y, 0, 1)])
      }))
    let pipeline = try device.makeRenderPipelineState(
      RenderPipelineDescriptor(vertex: floor, fragment: DrawingFunctions.color, pixelFormats: .rgba8Unorm))
    let painted = try device.expectTwin(Size(16, 16), with: pipeline, within: 1) {
      $0.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
    }
    // Half-way up the picture: y = 0.2 of the floor, not 0.5.
    #expect((40...58).contains(painted.pixel(4, 7, width: 16)[1]))
  }

  @Test(arguments: TestDevice.gles, [PrimitiveType.point, .line, .lineStrip])
  func pointsAndLinesAreDrawnByDrivers(_ test: TestDevice, _ type: PrimitiveType) throws {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    let texture = try device.makeTexture(Size(9, 9), .rgba8Unorm)
    try device.render(RenderPassDescriptor(texture: texture, loadAction: .clear(0, 0, 0, 1))) {
      $0.draw([Corner(-1, 0), Corner(1, 0)], as: type, with: pipeline)
    }
    let painted = try device.contents(of: texture)
    let count = (0..<81).count { painted[$0 * 4] == 255 }
    #expect(type == .point ? (1...4).contains(count) : (8...9).contains(count), "\(count) pixels")
  }

  @Test func theCPURefusesPointsAndLines() throws {
    let device = try Device.open(.cpu)
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    for type in [PrimitiveType.point, .line, .lineStrip] {
      expectError(.unsupported, why: .containing("only triangles, but the primitive type is \(type.rawValue)")) {
        _ = try device.drawn(Size(4, 4)) { $0.draw([Corner(-1, 0), Corner(1, 0)], as: type, with: pipeline) }
      }
    }
  }
}
