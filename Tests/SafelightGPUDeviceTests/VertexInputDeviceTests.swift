import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Sources of corners and instances.
@Suite struct VertexInputDeviceTests {
  private static let size = Size(33, 17)
  private static let quad = [
    Corner(-0.9, -0.8, SIMD4(10, 20, 30, 255)), Corner(0.7, -0.6, SIMD4(40, 50, 60, 255)),
    Corner(-0.5, 0.9, SIMD4(70, 80, 90, 255)), Corner(0.8, 0.7, SIMD4(100, 110, 120, 255)),
  ]

  /// Draws with buffers that the recording itself fills, so that the twins give the same result; the first is bound at
  /// index 0.
  static func expectTwin(
    _ device: Device, _ contents: [[UInt8]], _ descriptor: RenderPipelineDescriptor = DrawingFunctions.descriptor(),
    _ body: (RenderCommandEncoder, [Buffer]) -> Void
  ) throws -> [UInt8] {
    let pipeline = try device.makeRenderPipelineState(descriptor)
    let buffers = try contents.map { try device.makeBuffer(length: $0.count) }
    let texture = try device.makeTexture(Self.size, .rgba8Unorm)
    let (painted, twin) = try device.replayed { recording in
      recording.blit { blit in
        for (buffer, bytes) in zip(buffers, contents) { blit.write(bytes, to: buffer) }
      }
      recording.render(RenderPassDescriptor(texture: texture, loadAction: .clear(0, 0, 0, 1)), with: pipeline) {
        $0.setVertexBuffer(buffers[0], index: 0)
        body($0, buffers)
      }
      return recording.blit { $0.read(texture) }
    }
    #expect(twin == painted)
    return painted
  }

  private func reference(_ device: Device) throws -> [UInt8] {
    try Self.expectTwin(device, [Self.quad.bytes]) { encoder, _ in
      encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
    }
  }

  @Test(arguments: TestDevice.all)
  func offsetsAndStartsSkipVertices(_ test: TestDevice) throws {
    let device = try test.open()
    let expected = try reference(device)
    #expect(Set(expected).isSuperset(of: [70, 100]), "both triangles show their last corner's color")
    let padded = [UInt8](repeating: 0x7e, count: 32) + Self.quad.bytes
    for (offset, start) in [(32, 0), (16, 1), (0, 2)] {
      let painted = try Self.expectTwin(device, [padded]) { encoder, buffers in
        encoder.setVertexBuffer(buffers[0], offset: offset, index: 0)
        encoder.drawPrimitives(.triangleStrip, vertexStart: start, vertexCount: 4)
      }
      #expect(painted == expected, "offset \(offset), start \(start)")
    }
  }

  @Test(arguments: TestDevice.all, [IndexType.uint16, .uint32])
  func indicesNameVertices(_ test: TestDevice, _ type: IndexType) throws {
    let device = try test.open()
    let bytes = [9, 0, 1, 2, 2, 1, 3].flatMap { index in (0..<type.length).map { UInt8($0 == 0 ? index : 0) } }
    let painted = try Self.expectTwin(device, [Self.quad.bytes, bytes]) { encoder, buffers in
      encoder.drawIndexedPrimitives(
        .triangle, indexCount: 6, indexType: type, indexBuffer: buffers[1], indexBufferOffset: type.length)
    }
    #expect(try painted == reference(device))
  }

  /// An index with all bits set begins a new strip; the second strip covers the rest.
  @Test(arguments: TestDevice.all, [IndexType.uint16, .uint32])
  func allOnesBeginANewStrip(_ test: TestDevice, _ type: IndexType) throws {
    let device = try test.open()
    let bytes = [0, 1, 2, 255, 2, 1, 3].flatMap { index in
      (0..<type.length).map { UInt8($0 == 0 || index == 255 ? index : 0) }
    }
    let painted = try Self.expectTwin(device, [Self.quad.bytes, bytes]) { encoder, buffers in
      encoder.drawIndexedPrimitives(.triangleStrip, indexCount: 7, indexType: type, indexBuffer: buffers[1])
    }
    #expect(try painted == reference(device))
  }

  @Test(arguments: TestDevice.all)
  func aBaseVertexIsAddedWhereTheDeviceCan(_ test: TestDevice) throws {
    let device = try test.open()
    let padded = [UInt8](repeating: 0x7e, count: 32) + Self.quad.bytes
    func draw() throws -> [UInt8] {
      try Self.expectTwin(device, [padded, [0, 0, 1, 0, 2, 0, 3, 0]]) { encoder, buffers in
        encoder.drawIndexedPrimitives(
          .triangleStrip, indexCount: 4, indexType: .uint16, indexBuffer: buffers[1], baseVertex: 2)
      }
    }
    if device.capabilities.features.contains(.baseVertex) {
      #expect(try draw() == reference(device))
    } else {
      expectError(.unsupported, why: .containing("base vertex (2)")) { try draw() }
    }
  }

  /// Metal's spelling makes the parts of descriptors.
  @Test(arguments: TestDevice.all)
  func descriptorsAreSetPartByPart(_ test: TestDevice) throws {
    let device = try test.open()
    var descriptor = RenderPipelineDescriptor()
    descriptor.vertexFunction = DrawingFunctions.flat
    descriptor.fragmentFunction = DrawingFunctions.flatColor
    descriptor.colorAttachments[0].pixelFormat = .rgba8Unorm
    descriptor.depthAttachmentPixelFormat = .depth16Unorm
    descriptor.vertexDescriptor.attributes[0].format = .float3
    descriptor.vertexDescriptor.attributes[1].format = .uchar4Normalized
    descriptor.vertexDescriptor.attributes[1].offset = 12
    descriptor.vertexDescriptor.layouts[0].stride = 16
    #expect(descriptor.vertexDescriptor == DrawingFunctions.descriptor().vertexDescriptor)
    let target = try device.makeTexture(Size(33, 17), .rgba8Unorm)
    var pass = RenderPassDescriptor()
    pass.colorAttachments[0].texture = target
    pass.colorAttachments[0].loadAction = .clear(0, 0, 0, 1)
    pass.depthAttachment.texture = try device.makeTexture(target.size, .depth16Unorm)
    pass.depthAttachment.clearDepth = 0.5
    let pipeline = try device.makeRenderPipelineState(descriptor)
    try device.run {
      $0.render(pass, with: pipeline) { encoder in
        encoder.setVertexBytes(Self.quad, index: 0)
        encoder.drawPrimitives(.triangleStrip, vertexStart: 0, vertexCount: 4)
      }
    }
    #expect(try device.contents(of: target) == reference(device))
  }

  /// Draws small squares at `places`, the corners from buffer 2 and the places from buffer 5.
  private func drawInstances(
    _ device: Device, at places: [Float], count: Int, base: Int = 0, stepRate: Int = 1
  ) throws -> [UInt8] {
    var descriptor = RenderPipelineDescriptor(
      vertex: Self.instances, fragment: DrawingFunctions.flatColor, pixelFormats: .rgba8Unorm)
    descriptor.vertexDescriptor = VertexDescriptor(
      attributes: [
        0: VertexDescriptor.Attribute(format: .float2, bufferIndex: 2),
        1: VertexDescriptor.Attribute(format: .float2, bufferIndex: 5),
      ],
      layouts: [
        2: VertexDescriptor.Layout(stride: 8),
        5: VertexDescriptor.Layout(stride: 8, stepFunction: .perInstance, stepRate: stepRate),
      ])
    let corners: [Float] = [-0.2, -0.2, 0.2, -0.2, -0.2, 0.2, 0.2, 0.2]
    return try Self.expectTwin(device, [corners.bytes, places.bytes], descriptor) { encoder, buffers in
      encoder.setVertexBuffer(buffers[0], index: 2)
      encoder.setVertexBuffer(buffers[1], index: 5)
      encoder.drawPrimitives(
        .triangleStrip, vertexStart: 0, vertexCount: 4, instanceCount: count, baseInstance: base)
    }
  }

  /// Three instances from the second on: attributes that step with instances, and `instanceID`, count from there.
  @Test(arguments: TestDevice.all, [0, 1])
  func instancesCountFromTheBase(_ test: TestDevice, _ base: Int) throws {
    let places: [Float] = [-0.7, 0.5, 0, 0, 0.6, -0.6, 0.6, 0.6]
    let painted = try drawInstances(test.open(), at: places, count: 3, base: base)
    for instance in 0..<4 {
      let (x, y) = (Int((places[2 * instance] + 1) / 2 * 33), Int((1 - places[2 * instance + 1]) / 2 * 17))
      let isDrawn = (base..<base + 3).contains(instance)
      #expect(
        painted.pixel(x, y, width: 33) == (isDrawn ? [UInt8(instance * 50 + 50), 0, 0, 255] : [0, 0, 0, 255]),
        "instance \(instance) at (\(x), \(y))")
    }
  }

  @Test(arguments: TestDevice.all)
  func instancesShareAVertexByTheirStepRate(_ test: TestDevice) throws {
    let painted = try drawInstances(test.open(), at: [-0.7, 0.5, 0.6, -0.6], count: 4, stepRate: 2)
    // The second of each pair is drawn over the first.
    #expect(painted.pixel(4, 4, width: 33) == [100, 0, 0, 255])
    #expect(painted.pixel(26, 13, width: 33) == [200, 0, 0, 255])
  }

  @Test(arguments: TestDevice.all)
  func argumentsMayLieInABuffer(_ test: TestDevice) throws {
    let device = try test.open()
    let padded = [UInt8](repeating: 0x7e, count: 32) + Self.quad.bytes
    let arguments: [UInt32] = [77, 4, 1, 2, 0]
    let painted = try Self.expectTwin(device, [padded, arguments.bytes]) { encoder, buffers in
      encoder.drawPrimitives(.triangleStrip, indirectBuffer: buffers[1], indirectBufferOffset: 4)
    }
    #expect(try painted == reference(device))
    let indexed: [UInt32] = [4, 1, 1, 2, 0]
    let indices: [UInt8] = [9, 0, 0, 0, 1, 0, 2, 0, 3, 0]
    let drawn = try Self.expectTwin(device, [padded, indexed.bytes, indices]) { encoder, buffers in
      encoder.drawIndexedPrimitives(
        .triangleStrip, indexType: .uint16, indexBuffer: buffers[2], indirectBuffer: buffers[1])
    }
    #expect(try drawn == reference(device))
  }

  /// A kernel writes corners, indices and arguments; the draw after it sees them without a call for a barrier.
  @Test(arguments: TestDevice.all)
  func drawsSeeWhatKernelsWrote(_ test: TestDevice) throws {
    let device = try test.open()
    let contents = [Self.quad.bytes, ([0, 1, 2, 3] as [UInt32]).bytes, ([4, 1, 0, 0, 0] as [UInt32]).bytes]
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    let copy = try device.makeComputePipelineState(Self.copy, threadsPerThreadgroup: Size(64, 1))
    let texture = try device.makeTexture(Self.size, .rgba8Unorm)
    let buffers = try contents.map { try device.makeBuffer(bytes: $0) }
    let copies = try contents.map { try device.makeBuffer(length: $0.count) }
    try device.run { recording in
      for (from, to) in zip(buffers, copies) {
        recording.dispatch(copy, Size(from.length / 4, 1), group: Size(64, 1)) {
          $0.setBuffer(from, index: 0)
          $0.setBuffer(to, index: 1)
        }
      }
      recording.render(RenderPassDescriptor(texture: texture, loadAction: .clear(0, 0, 0, 1)), with: pipeline) {
        $0.setVertexBuffer(copies[0], index: 0)
        $0.drawIndexedPrimitives(
          .triangleStrip, indexType: .uint32, indexBuffer: copies[1], indirectBuffer: copies[2])
      }
    }
    #expect(try device.contents(of: texture) == reference(device))
  }

  @Test(arguments: TestDevice.all)
  func vertexFunctionsReadTextures(_ test: TestDevice) throws {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(
      RenderPipelineDescriptor(vertex: Self.textured, fragment: DrawingFunctions.flatColor, pixelFormats: .rgba8Unorm))
    let source = try device.makeTexture(Size(2, 2), .rgba8Unorm, bytes: (0..<16).map { UInt8($0 * 10) })
    let texture = try device.makeTexture(Size(4, 4), .rgba8Unorm)
    try device.render(RenderPassDescriptor(texture: texture), pipeline) { $0.setVertexTexture(source, index: 6) }
    let painted = try device.contents(of: texture)
    #expect(painted.pixel(0, 3, width: 4) == [80, 90, 100, 110], "the first triangle has corner 2's pixel")
    #expect(painted.pixel(3, 0, width: 4) == [120, 130, 140, 150])
  }
}

extension Array where Element: BitwiseCopyable {
  var bytes: [UInt8] { withUnsafeBytes { Array<UInt8>($0) } }
}

extension VertexInputDeviceTests {
  // MARK: Functions

  /// One position for each instance, with its number as red.
  private static let instances = ShaderFunction(
    "instances",
    """
    layout(location = 0) in vec2 position;
    layout(location = 1) in vec2 place;
    flat out vec4 vertexColor;
    void main() {
      gl_Position = vec4(position + place, 0.0, 1.0);
      vertexColor = vec4(float(instanceID * 50 + 50) / 255.0, 0.0, 0.0, 1.0);
    }
    """, arguments: [],
    twin: ShaderTwin(
      vertex: { corner in
        let place = corner.attribute(0) + corner.attribute(1)
        return VertexOutput(
          position: SIMD4(place.x, place.y, 0, 1),
          varyings: [SIMD4(Float(corner.instanceID * 50 + 50) / 255, 0, 0, 1)])
      }, flat: [0]))

  private static let copy = ShaderFunction(
    "copyWords",
    """
    #include "Common/compute.glsl"
    layout(std430, binding = 0) readonly buffer Source { uint source[]; };
    layout(std430, binding = 1) writeonly buffer Target { uint target[]; };
    void main() {
      if (isOutsideGrid()) return;
      target[gl_GlobalInvocationID.x] = source[gl_GlobalInvocationID.x];
    }
    """, arguments: [.readBuffer(0), .storageBuffer(1)],
    twin: ShaderTwin { arguments in
      let words = arguments.buffer(0).withWords { Array($0) }
      arguments.buffer(1).withWords { target in
        for index in 0..<arguments.grid.width { target[index] = words[index] }
      }
    })

  /// The texel of each corner of the strip.
  private static let textured = ShaderFunction(
    "textured",
    """
    layout(binding = 6) uniform sampler2D source;
    flat out vec4 vertexColor;
    void main() {
      ivec2 corner = ivec2(gl_VertexID & 1, gl_VertexID >> 1);
      gl_Position = vec4(vec2(corner) * 2.0 - 1.0, 0.0, 1.0);
      vertexColor = texelFetch(source, corner, 0);
    }
    """, arguments: [.sampledTexture(6)],
    twin: ShaderTwin(
      vertex: { corner in
        let (x, y) = (corner.vertexID & 1, corner.vertexID >> 1)
        return VertexOutput(
          position: SIMD4(Float(x) * 2 - 1, Float(y) * 2 - 1, 0, 1), varyings: [corner.arguments.texture(6).texel(x, y)]
        )
      }, flat: [0]))
}
