import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

/// Both backends refuse impossible draws with the same words.
@Suite struct DrawRefusalDeviceTests {
  private func draw(
    _ pass: RenderPassDescriptor, _ pipeline: RenderPipelineState, on device: Device,
    _ body: (RenderCommandEncoder) -> Void = { $0.setVertexBytes(Corner.everywhere, index: 0) }
  ) throws {
    try device.run {
      $0.render(pass) { encoder in
        encoder.setRenderPipelineState(pipeline)
        body(encoder)
        encoder.drawPrimitives(.triangle, vertexStart: 0, vertexCount: 3)
      }
    }
  }

  private func pass(
    _ textures: [Texture], _ action: RenderPassDescriptor.LoadAction = .clear(0, 0, 0, 0)
  ) -> RenderPassDescriptor {
    RenderPassDescriptor(colorAttachments: textures.map { .init(texture: $0, loadAction: action) })
  }

  @Test(arguments: TestDevice.all)
  func aVertexBufferTooShort(_ test: TestDevice) throws {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    let texture = try device.makeTexture(Size(4, 4), .rgba8Unorm)
    let short = try device.makeBuffer(length: 35)
    expectError(.usage, why: "the draw needs 36 bytes of vertex buffer 0; 35 were given") {
      try draw(RenderPassDescriptor(texture: texture), pipeline, on: device) { $0.setVertexBuffer(short, index: 0) }
    }
    expectError(why: "the draw needs 36 bytes of vertex buffer 0; 27 were given") {
      try draw(RenderPassDescriptor(texture: texture), pipeline, on: device) {
        $0.setVertexBuffer(short, offset: 8, index: 0)
      }
    }
  }

  @Test(arguments: TestDevice.all)
  func aFormatThatIsNotTheTargets(_ test: TestDevice) throws {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    let texture = try device.makeTexture(Size(4, 4), .r8Unorm, label: "gray")
    expectError(.usage, why: "it writes rgba8Unorm to attachment 0; 'gray' is of r8Unorm") {
      try draw(RenderPassDescriptor(texture: texture), pipeline, on: device)
    }
  }

  @Test(arguments: TestDevice.all)
  func attachmentsOfAnotherNumberOrSize(_ test: TestDevice) throws {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    let first = try device.makeTexture(Size(4, 4), .rgba8Unorm, label: "a")
    let second = try device.makeTexture(Size(4, 5), .rgba8Unorm, label: "b")
    let third = try device.makeTexture(Size(4, 4), .rgba8Unorm, label: "c")
    expectError(why: "it writes to 1 attachments; the pass has 2") {
      try draw(pass([first, third]), pipeline, on: device)
    }
    expectError(.usage, why: "attachment 1 'b' has 4×5 pixels of 1 samples, but attachment 0 'a' 4×4 of 1") {
      try device.run { $0.render(pass([first, second])) }
    }
  }

  @Test(arguments: TestDevice.all)
  func tooManyAttachments(_ test: TestDevice) throws {
    let device = try test.open()
    let limit = device.capabilities.render.colorAttachments
    #expect(limit >= 4)
    let textures = try (0...limit).map { _ in try device.makeTexture(Size(2, 2), .rgba8Unorm) }
    expectError(.limit, why: "it has \(limit + 1) attachments; this device takes \(limit)") {
      try device.run { $0.render(pass(textures)) }
    }
    // As many as it takes work.
    try device.run { $0.render(pass(textures.dropLast(), .clear(0, 1, 0, 1))) }
    #expect(try device.contents(of: textures[limit - 1]).pixel(1, 1, width: 2) == [0, 255, 0, 255])
  }

  @Test(arguments: TestDevice.all)
  func missingFunctions(_ test: TestDevice) throws {
    let device = try test.open()
    var descriptor = DrawingFunctions.descriptor()
    descriptor.vertexFunction = nil
    expectError(.usage, why: "it has no vertex function") { try device.makeRenderPipelineState(descriptor) }
    descriptor = DrawingFunctions.descriptor()
    descriptor.fragmentFunction = nil
    expectError(why: "it has no fragment function") { try device.makeRenderPipelineState(descriptor) }
  }

  @Test(arguments: TestDevice.all)
  func functionsOfAnotherKind(_ test: TestDevice) throws {
    let device = try test.open()
    let fragment = DrawingFunctions.flatColor
    var descriptor = DrawingFunctions.descriptor()
    descriptor.vertexFunction = ShaderFunction(
      name: "paint", assembly: fragment.assembly, twin: fragment.twin, functionType: .fragment)
    expectError(.usage, why: "it is a fragment function, not a vertex function") {
      try device.makeRenderPipelineState(descriptor)
    }
  }

  /// The declarations of a vertex function are read and compared too.
  @Test(arguments: TestDevice.all)
  func aVertexFunctionThatStatesOtherArguments(_ test: TestDevice) throws {
    let device = try test.open()
    let vertex = DrawingFunctions.flat
    var descriptor = DrawingFunctions.descriptor()
    descriptor.vertexFunction = ShaderFunction(
      name: "place", assembly: vertex.assembly, arguments: [.bytes(5)], twin: vertex.twin)
    expectError(what: "'place'", why: "its arguments state bytes 5, which its GLSL does not declare") {
      try device.makeRenderPipelineState(descriptor)
    }
  }

  @Test(arguments: TestDevice.all)
  func integersCannotBeBlended(_ test: TestDevice) throws {
    let device = try test.open()
    var descriptor = DrawingFunctions.descriptor()
    descriptor.colorAttachments[0].pixelFormat = .rgba16Uint
    descriptor.colorAttachments[0].isBlendingEnabled = true
    expectError(.unsupported, why: "attachment 0 of rgba16Uint cannot be blended: it holds integers") {
      try device.makeRenderPipelineState(descriptor)
    }
  }

  /// OpenGL ES 3.1 need not support buffers in vertex and fragment functions.
  @Test(arguments: TestDevice.all)
  func buffersBeyondTheStagesLimit(_ test: TestDevice) throws {
    let device = try test.open()
    let limit = device.capabilities.render.fragmentStorageBuffers
    let fragment = DrawingFunctions.flatColor
    var descriptor = DrawingFunctions.descriptor()
    descriptor.fragmentFunction = ShaderFunction(
      name: "greedy", assembly: fragment.assembly, arguments: (0...limit).map { .readBuffer($0) }, twin: fragment.twin)
    expectError(
      .limit, what: "greedy",
      why: "this fragment function reads \(limit + 1) storage buffers; this device allows it \(limit)"
    ) { try device.makeRenderPipelineState(descriptor) }
  }

  /// Records `first`, and then with `draw` a pass of a triangle on the CPU.
  private func runOnCPU(
    _ device: Device, first: (BlitCommandEncoder) -> Void = { _ in }, _ draw: (RenderCommandEncoder) -> Void
  ) throws {
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    let texture = try device.makeTexture(Size(4, 4), .rgba8Unorm)
    try device.run {
      $0.blit(first)
      $0.render(RenderPassDescriptor(texture: texture)) { encoder in
        encoder.setRenderPipelineState(pipeline)
        encoder.setVertexBytes(Corner.everywhere, index: 0)
        draw(encoder)
      }
    }
  }

  @Test func theCPUNamesIndicesBeyondTheEnd() throws {
    let device = try Device.open(.cpu)
    let indices = try device.makeBuffer(length: 6)
    expectError(why: "vertex 9 needs 120 bytes of vertex buffer 0; 36 were given") {
      try runOnCPU(device, first: { $0.write([0, 0, 1, 0, 9, 0], to: indices) }) {
        $0.drawIndexedPrimitives(.triangle, indexCount: 3, indexType: .uint16, indexBuffer: indices)
      }
    }
  }

  @Test func theCPURefusesABaseInstanceInABuffer() throws {
    let device = try Device.open(.cpu)
    let arguments = try device.makeBuffer(length: 16)
    expectError(why: .containing("is 2; OpenGL ES 3.1 takes only 0 there")) {
      try runOnCPU(device, first: { $0.write([3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0], to: arguments) }) {
        $0.drawPrimitives(.triangle, indirectBuffer: arguments)
      }
    }
  }

  private struct Asked: Sendable {
    let words: [UInt32]
    var isIndexed = false
    let why: String
  }

  private static let corners: UInt32 = 16_777_217
  private static let asked: [Asked] = [
    Asked(words: [corners, 1, 0, 0], why: "16777217 vertices in 1 instances"),
    Asked(words: [3, 1_048_577, 0, 0], why: "3 vertices in 1048577 instances"),
    Asked(words: [.max, .max, .max, 0], why: "4294967295 vertices in 4294967295 instances"),
    Asked(words: [3, 1, 1, 0], why: "vertex 3 needs 48 bytes of vertex buffer 0; 36 were given"),
    Asked(words: [3, 1, 4_294_967_292, 0], why: "of vertex buffer 0; 36 were given"),
    Asked(words: [corners, 1, 0, 0, 0], isIndexed: true, why: "16777217 vertices in 1 instances"),
    Asked(words: [3, .max, 0, 0, 0], isIndexed: true, why: "3 vertices in 4294967295 instances"),
    Asked(
      words: [4, 1, 0, 0, 0], isIndexed: true, why: "the draw needs 8 bytes of index buffer 'indices'; 6 were given"),
    Asked(words: [3, 1, .max, 0, 0], isIndexed: true, why: "of index buffer 'indices'; 6 were given"),
    Asked(words: [3, 1, 0, 5, 0], isIndexed: true, why: "of vertex buffer 0; 36 were given"),
    Asked(words: [3, 1, 0, .max, 0], isIndexed: true, why: "vertex -1 needs"),
  ]

  /// Arguments in a buffer may be anything: the twins refuse what they could not finish, and accesses beyond a buffer.
  @Test(arguments: asked.indices)
  func theCPUChecksWhatABufferAsksFor(_ number: Int) throws {
    let asked = Self.asked[number]
    let device = try Device.open(.cpu)
    let bytes = asked.words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    let arguments = try device.makeBuffer(bytes: bytes)
    let indices = try device.makeBuffer(bytes: [0, 0, 1, 0, 2, 0], label: "indices")
    let error = try #require(throws: SafelightError.self) {
      try runOnCPU(device) { encoder in
        if asked.isIndexed {
          encoder.drawIndexedPrimitives(
            .triangle, indexType: .uint16, indexBuffer: indices, indirectBuffer: arguments)
        } else {
          encoder.drawPrimitives(.triangle, indirectBuffer: arguments)
        }
      }
    }
    #expect(error.kind == .limit || error.kind == .usage)
    #expect(error.why.contains(asked.why), "\(error)")
  }

  /// A twin of the wrong kind is reported by name, and not called.
  @Test func twinsOfAnotherKind() throws {
    let device = try Device.open(.cpu)
    let texture = try device.makeTexture(Size(4, 4), .rgba8Unorm)
    for (vertex, fragment, what) in [
      (DrawingFunctions.flatColor, DrawingFunctions.flatColor, "is for a fragment function"),
      (DrawingFunctions.flat, DrawingFunctions.flat, "is for a vertex function"),
    ] {
      let pipeline = try RenderPipelineState(DrawingFunctions.descriptor(vertex, fragment))
      expectError(.usage, why: .containing(what)) {
        try draw(RenderPassDescriptor(texture: texture), pipeline, on: device)
      }
    }
  }
}
