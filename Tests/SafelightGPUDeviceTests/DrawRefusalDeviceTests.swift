import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Both backends refuse impossible draws with the same words.
@Suite struct DrawRefusalDeviceTests {
  private func draw(
    _ pass: RenderPassDescriptor, _ pipeline: RenderPipelineState, on device: Device,
    _ body: (RenderCommandEncoder) -> Void = { $0.setVertexBytes(Corner.everywhere, index: 0) }
  ) throws {
    try device.run {
      $0.render(pass, with: pipeline) { encoder in
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
    let short = try device.makeBuffer(length: 47)
    expectError(.usage, why: "the draw needs 48 bytes of vertex buffer 0; 47 were given") {
      try draw(RenderPassDescriptor(texture: texture), pipeline, on: device) { $0.setVertexBuffer(short, index: 0) }
    }
    expectError(why: "the draw needs 48 bytes of vertex buffer 0; 39 were given") {
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
      try device.render(pass([first, second]))
    }
  }

  @Test(arguments: TestDevice.all)
  func tooManyAttachments(_ test: TestDevice) throws {
    let device = try test.open()
    let limit = device.capabilities.render.colorAttachments
    #expect(limit >= 4)
    let textures = try (0...limit).map { _ in try device.makeTexture(Size(2, 2), .rgba8Unorm) }
    expectError(.limit, why: "it has \(limit + 1) attachments; this device takes \(limit)") {
      try device.render(pass(textures))
    }
    // As many as it takes work.
    try device.render(pass(textures.dropLast(), .clear(0, 1, 0, 1)))
    #expect(try device.contents(of: textures[limit - 1]).pixel(1, 1, width: 2) == [0, 255, 0, 255])
  }

  @Test(arguments: TestDevice.all)
  func impossiblePipelines(_ test: TestDevice) throws {
    let device = try test.open()
    func refuse(
      _ kind: SafelightError.Kind, what: Wording? = nil, why: Wording,
      _ change: (inout RenderPipelineDescriptor) -> Void
    ) {
      var descriptor = DrawingFunctions.descriptor()
      change(&descriptor)
      expectError(kind, what: what, why: why) { try device.makeRenderPipelineState(descriptor) }
    }
    let (vertex, fragment) = (DrawingFunctions.flat, DrawingFunctions.flatColor)
    refuse(.usage, why: "it has no vertex function") { $0.vertexFunction = nil }
    refuse(.usage, why: "it has no fragment function") { $0.fragmentFunction = nil }
    refuse(.usage, why: "it is a fragment function, not a vertex function") {
      $0.vertexFunction = ShaderFunction(
        name: "paint", assembly: fragment.assembly, twin: fragment.twin, functionType: .fragment)
    }
    // The declarations of a vertex function are read and compared too.
    refuse(.usage, what: "'place'", why: "its arguments state bytes 5, which its GLSL does not declare") {
      $0.vertexFunction = ShaderFunction(
        name: "place", assembly: vertex.assembly, arguments: [.bytes(5)], twin: vertex.twin)
    }
    refuse(.unsupported, why: "attachment 0 of rgba16Uint cannot be blended: it holds integers") {
      $0.colorAttachments[0].pixelFormat = .rgba16Uint
      $0.colorAttachments[0].isBlendingEnabled = true
    }
    refuse(.usage, what: "render pipeline 'flatColor'", why: "its color attachment 1 has no pixel format") {
      $0.colorAttachments[1].isBlendingEnabled = true
    }
    // OpenGL ES 3.1 need not support buffers in vertex and fragment functions.
    let limit = device.capabilities.render.fragmentStorageBuffers
    refuse(
      .limit, what: "greedy",
      why: "this fragment function reads \(limit + 1) storage buffers; this device allows it \(limit)"
    ) {
      $0.fragmentFunction = ShaderFunction(
        name: "greedy", assembly: fragment.assembly, arguments: (0...limit).map { .readBuffer($0) },
        twin: fragment.twin)
    }
  }

  /// The inputs of a vertex function are attributes of the descriptor, of the same numbers.
  @Test(
    arguments: TestDevice.all,
    [
      ("layout(location = 2) in vec2 given;", nil, "its in vec2 at location 2 is attribute 2, which the vertex"),
      ("layout(location = 2) in mat2 given;", .float2, "its in mat2 at location 3 is attribute 3"),
      ("layout(location = 2147483647) in vec2 given;", .float2, "its location is 2147483647; they run from 0 to 15"),
      ("in vec2 given;", .float2, "its in vec2 at location 0 is attribute 0"),
      ("in vec2 given; in vec2 other;", .float2, "its in vec2 has no location"),
      (
        "layout(location = 2) in vec2 given;", .uchar2,
        "takes floats, but attribute 2 of the vertex descriptor is uchar2"
      ),
      ("layout(location = 2) in uvec2 given;", .uchar2Normalized, "takes unsigned integers, but attribute 2"),
      ("layout(location = 2) in uint given;", .int, "is int, which gives signed integers"),
      ("layout(location = 2) in ivec2 given;", .float2, "takes signed integers"),
      // Fewer or more components are filled up or left out (ES 3.1 §10.3.4), and unread attributes are no mistake.
      ("layout(location = 2) in vec4 given;", .uchar2Normalized, nil),
      ("layout(location = 2) in highp float given;", .half4, nil),
      ("layout(location = 2) in uint given;", .ushort4, nil),
      ("", .float2, nil),
    ] as [(String, VertexFormat?, String?)])
  func inputsAreComparedWithTheDescriptor(
    _ test: TestDevice, _ input: (declaration: String, format: VertexFormat?, why: String?)
  ) throws {
    let device = try test.open()
    var descriptor = RenderPipelineDescriptor()
    descriptor.vertexFunction = ShaderFunction(
      "reader", "\(input.declaration)\nvoid main() { gl_Position = vec4(0.0); }", arguments: [],
      twin: ShaderTwin(vertex: { _ in VertexOutput(position: SIMD4()) }))
    descriptor.fragmentFunction = ShaderFunction(
      "white", "layout(location = 0) out vec4 color; void main() { color = vec4(1.0); }", arguments: [],
      twin: ShaderTwin(fragment: { _ in FragmentOutput(SIMD4(repeating: 1)) }))
    descriptor.colorAttachments[0].pixelFormat = .rgba8Unorm
    if let format = input.format {
      descriptor.vertexDescriptor.attributes[2].format = format
      descriptor.vertexDescriptor.layouts[0].stride = 16
    }
    if let why = input.why {
      expectError(.usage, what: "'given' of 'reader'", why: .containing(why)) {
        try device.makeRenderPipelineState(descriptor)
      }
    } else {
      _ = try device.makeRenderPipelineState(descriptor)
    }
  }

  /// Records with `draw` a pass of a triangle on the CPU.
  private func runOnCPU(_ device: Device, _ draw: (RenderCommandEncoder) -> Void) throws {
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    let texture = try device.makeTexture(Size(4, 4), .rgba8Unorm)
    try device.run {
      $0.render(RenderPassDescriptor(texture: texture), with: pipeline) { encoder in
        encoder.setVertexBytes(Corner.everywhere, index: 0)
        draw(encoder)
      }
    }
  }

  @Test func theCPUNamesIndicesBeyondTheEnd() throws {
    let device = try Device.open(.cpu)
    let indices = try device.makeBuffer(bytes: ([0, 1, 9] as [UInt16]).bytes)
    expectError(why: "vertex 9 needs 160 bytes of vertex buffer 0; 48 were given") {
      try runOnCPU(device) {
        $0.drawIndexedPrimitives(.triangle, indexCount: 3, indexType: .uint16, indexBuffer: indices)
      }
    }
  }

  @Test func theCPURefusesABaseInstanceInABuffer() throws {
    let device = try Device.open(.cpu)
    let arguments = try device.makeBuffer(bytes: ([3, 1, 0, 2] as [UInt32]).bytes)
    expectError(why: .containing("is 2; OpenGL ES 3.1 takes only 0 there")) {
      try runOnCPU(device) { $0.drawPrimitives(.triangle, indirectBuffer: arguments) }
    }
  }

  private static let corners: UInt32 = 16_777_217
  /// Words of arguments in a buffer, five for indices, and of the refusals.
  private static let asked: [([UInt32], String)] = [
    ([corners, 1, 0, 0], "16777217 vertices in 1 instances"),
    ([3, 1_048_577, 0, 0], "3 vertices in 1048577 instances"),
    ([.max, .max, .max, 0], "4294967295 vertices in 4294967295 instances"),
    ([3, 1, 1, 0], "vertex 3 needs 64 bytes of vertex buffer 0; 48 were given"),
    ([3, 1, 4_294_967_292, 0], "of vertex buffer 0; 48 were given"),
    ([corners, 1, 0, 0, 0], "16777217 vertices in 1 instances"),
    ([3, .max, 0, 0, 0], "3 vertices in 4294967295 instances"),
    ([4, 1, 0, 0, 0], "the draw needs 8 bytes of index buffer 'indices'; 6 were given"),
    ([3, 1, .max, 0, 0], "of index buffer 'indices'; 6 were given"),
    ([3, 1, 0, 5, 0], "of vertex buffer 0; 48 were given"), ([3, 1, 0, .max, 0], "vertex -1 needs"),
  ]

  /// Arguments in a buffer may be anything: the twins refuse what they could not finish, and accesses beyond a buffer.
  @Test(arguments: asked)
  func theCPUChecksWhatABufferAsksFor(_ words: [UInt32], _ why: String) throws {
    let device = try Device.open(.cpu)
    let arguments = try device.makeBuffer(bytes: words.bytes)
    let indices = try device.makeBuffer(bytes: ([0, 1, 2] as [UInt16]).bytes, label: "indices")
    let error = try #require(throws: SafelightError.self) {
      try runOnCPU(device) { encoder in
        if words.count == 5 {
          encoder.drawIndexedPrimitives(
            .triangle, indexType: .uint16, indexBuffer: indices, indirectBuffer: arguments)
        } else {
          encoder.drawPrimitives(.triangle, indirectBuffer: arguments)
        }
      }
    }
    #expect(error.kind == .limit || error.kind == .usage)
    #expect(error.why.contains(why), "\(error)")
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
