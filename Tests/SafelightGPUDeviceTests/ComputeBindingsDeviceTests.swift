import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Offsets, uniform buffers, samplers and indirect grids of compute functions.
@Suite struct ComputeBindingsDeviceTests {
  @Test(arguments: TestDevice.all, [0, 4, 20, 256, 260])
  func aBufferBeginsAtAnyMultipleOfFour(_ test: TestDevice, _ offset: Int) throws {
    let device = try test.open()
    let buffer = try device.makeBuffer(length: 400)
    let pipeline = try device.makeComputePipelineState(OffsetFunctions.add, threadsPerThreadgroup: Size(8, 1))
    try device.run {
      $0.compute(pipeline) {
        $0.setBuffer(buffer, offset: offset, index: 0)
        $0.add(6, toWords: 3)
        $0.setBufferOffset(offset + 4, index: 0)
        $0.dispatchThreads(Size(1, 1), threadsPerThreadgroup: Size(8, 1))
      }
    }
    var expected = [UInt32](repeating: 0, count: 100)
    for (word, value) in [(0, 6), (1, 12), (2, 6)] { expected[offset / 4 + word] = UInt32(value) }
    #expect(try device.contents(of: buffer).words(UInt32.self) == expected)
  }

  /// If the driver's alignment is stricter than Metal's and the function ignores offsets, no buffer is bound at a wrong
  /// offset.
  @Test(arguments: TestDevice.gles)
  func aFunctionDeafToOffsetsIsToldWhichItTakes(_ test: TestDevice) throws {
    let device = try test.open()
    let alignment = device.capabilities.bufferOffsetAlignment
    let buffer = try device.makeBuffer(length: 600)
    let dispatch = { (offset: Int) in
      try device.dispatch(OffsetFunctions.deaf, Size(1, 1), group: Size(8, 1)) {
        $0.setBuffer(buffer, offset: offset, index: 0)
        $0.setBytes(SIMD4<UInt32>(1, 0, 0, 0), index: 1)
      }
    }
    try dispatch(alignment)
    #expect(try device.contents(of: buffer).words(UInt32.self)[alignment / 4] == 1)
    guard alignment > 4 else { return }
    expectError(.unsupported, remedy: .containing("safelight_bufferOffsets[0]")) { try dispatch(alignment + 4) }
  }

  @Test(arguments: TestDevice.all, [0, 4, 512])
  func aBufferServesAsUniforms(_ test: TestDevice, _ offset: Int) throws {
    let device = try test.open()
    let words = try device.makeBuffer(length: 16)
    let amount = try device.makeBuffer(length: 1024)
    try amount.contents().storeBytes(of: 11, toByteOffset: offset, as: UInt32.self)
    try device.dispatch(OffsetFunctions.add, Size(4, 1), group: Size(8, 1)) {
      $0.setBuffer(words, index: 0)
      $0.setBuffer(amount, offset: offset, index: 1)
    }
    #expect(try device.contents(of: words).words(UInt32.self) == [11, 11, 11, 11])
  }

  /// Bytes and buffers share one table, as in Metal: the last call counts.
  @Test(arguments: TestDevice.all)
  func theLastBindingAtAnIndexCounts(_ test: TestDevice) throws {
    let device = try test.open()
    let words = try device.makeBuffer(length: 16)
    let amount = try device.makeBuffer(bytes: ([100, 0, 0, 0] as [UInt32]).bytes)
    let pipeline = try device.makeComputePipelineState(OffsetFunctions.add, threadsPerThreadgroup: Size(8, 1))
    try device.run {
      $0.compute(pipeline) {
        $0.setBuffer(words, index: 0)
        $0.add(1, toWords: 4)
        $0.setBuffer(amount, index: 1)
        $0.dispatchThreads(Size(3, 1), threadsPerThreadgroup: Size(8, 1))
        $0.add(7, toWords: 2)
      }
    }
    #expect(try device.contents(of: words).words(UInt32.self) == [108, 108, 101, 1])
  }

  /// A number of groups written by an earlier dispatch.
  @Test(arguments: TestDevice.all)
  func theGridCanLieInABuffer(_ test: TestDevice) throws {
    let device = try test.open()
    let grid = try device.makeBuffer(length: 16)
    let words = try device.makeBuffer(length: 64 * 4)
    let pipeline = try device.makeComputePipelineState(OffsetFunctions.add, threadsPerThreadgroup: Size(8, 1))
    try device.run {
      $0.compute(pipeline) {
        $0.setBuffer(grid, offset: 4, index: 0)
        $0.add(1, toWords: 3)
        $0.dispatchThreads(Size(1, 1), threadsPerThreadgroup: Size(8, 1))
        $0.setBuffer(words, index: 0)
        $0.dispatchThreadgroups(indirectBuffer: grid, indirectBufferOffset: 4, threadsPerThreadgroup: Size(8, 1))
      }
    }
    #expect(
      try device.contents(of: words).words(UInt32.self)
        == [UInt32](repeating: 1, count: 16) + [UInt32](repeating: 0, count: 48))
  }

  /// Arguments in a buffer may be anything: the twins refuse what they could not finish, or would count differently.
  @Test(
    arguments: [
      [65536, 1, 1], [65535, 65535, 1], [4096, 4096, 2], [.max, .max, .max], [1, 1, 70000], [70000, 1, 1],
    ] as [[UInt32]])
  func theCPUBoundsAGridInABuffer(_ counts: [UInt32]) throws {
    let device = try Device.open(.cpu)
    let grid = try device.makeBuffer(length: 12, label: "grid")
    let function = ShaderFunction("idle", arguments: [], twin: ShaderTwin { _ in })
    let pipeline = try device.makeComputePipelineState(function)
    expectError(.limit, why: .containing("'grid' asks for \(counts) threadgroups")) {
      try device.run { buffer in
        buffer.blit { $0.write(counts.bytes, to: grid) }
        buffer.compute(pipeline) { $0.dispatchThreadgroups(indirectBuffer: grid, threadsPerThreadgroup: Size(8, 8)) }
      }
    }
  }

  @Test(arguments: TestDevice.all)
  func aSamplerReadsBetweenPixels(_ test: TestDevice) throws {
    let device = try test.open()
    let picture = SyntheticImage.noise.image(Size(4, 3), channels: .rgba, depth: .bits8)
    for address in [SamplerDescriptor.AddressMode.clampToEdge, .repeat, .mirrorRepeat] {
      let smooth = try Self.enlarge(device, picture, SamplerDescriptor(filter: .linear, address: address))
      let expected = Self.expected(picture, SamplerDescriptor(filter: .linear, address: address))
      #expect(zip(smooth, expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(address)")
      let sharp = try Self.enlarge(device, picture, SamplerDescriptor(filter: .nearest, address: address))
      #expect(sharp == Self.expected(picture, SamplerDescriptor(filter: .nearest, address: address)), "\(address)")
    }
  }

  @Test(arguments: TestDevice.all)
  func aSamplerStaysWithItsEncoder(_ test: TestDevice) throws {
    let device = try test.open()
    let picture = SyntheticImage.noise.image(Size(4, 3), channels: .rgba, depth: .bits8)
    let source = try device.makeTexture(of: picture)
    let targets = try (0..<2).map { _ in try device.makeTexture(Self.size, .rgba8Unorm) }
    let pipeline = try device.makeComputePipelineState(Self.function)
    let linear = try device.makeSamplerState(SamplerDescriptor(filter: .linear))
    try device.run { buffer in
      for (target, sampler) in zip(targets, [linear, nil]) {
        buffer.dispatch(pipeline, Self.size) {
          $0.setTexture(source, index: 0)
          if let sampler { $0.setSamplerState(sampler, index: 0) }
          $0.setTexture(target, index: 1)
        }
      }
    }
    #expect(try targets[1].getBytes() == Self.expected(picture, SamplerDescriptor()), "none: nearest, clamped")
    #expect(try targets[0].getBytes() != targets[1].getBytes())
  }

  @Test(arguments: TestDevice.all)
  func bordersAndReductionsNeedTheirExtension(_ test: TestDevice) throws {
    let device = try test.open()
    let picture = SyntheticImage.noise.image(Size(4, 3), channels: .rgba, depth: .bits8)
    var border = SamplerDescriptor(filter: .nearest, address: .clampToBorderColor)
    border.borderColor = .opaqueWhite
    var least = SamplerDescriptor(filter: .linear)
    least.reduction = .minimum
    for (sampler, feature) in [(border, DeviceFeatures.borderColor), (least, .minMaxSamplers)] {
      if device.capabilities.features.contains(feature) {
        #expect(try Self.enlarge(device, picture, sampler) == Self.expected(picture, sampler))
      } else {
        expectError(.unsupported, remedy: .something) { try device.makeSamplerState(sampler) }
      }
    }
  }

  @Test(arguments: TestDevice.all)
  func swizzlesChangeWhatIsSampled(_ test: TestDevice) throws {
    let device = try test.open()
    var descriptor = TextureDescriptor(Size(1, 1), .rgba8Unorm)
    descriptor.swizzle = [.blue, .one, .zero, .red]
    let texture = try device.makeTexture(descriptor)
    try texture.replace(region: texture.bounds, withBytes: [10, 20, 30, 40])
    #expect(try Array(Self.enlarge(device, texture, nil, size: Size(1, 1))) == [30, 255, 0, 10])
  }

  // MARK: The function

  /// No coordinate is the center of a pixel, where a neighbor without weight may or may not count for a minimum.
  private static let size = Size(11, 8)

  private static func enlarge(_ device: Device, _ picture: Image, _ sampler: SamplerDescriptor?) throws -> [UInt8] {
    try enlarge(device, device.makeTexture(of: picture), sampler, size: size)
  }

  private static func enlarge(
    _ device: Device, _ source: Texture, _ sampler: SamplerDescriptor?, size: Size
  ) throws -> [UInt8] {
    let target = try device.makeTexture(size, .rgba8Unorm)
    try device.dispatch(function, size) {
      $0.setTexture(source, index: 0)
      if let sampler { $0.setSamplerState(try device.makeSamplerState(sampler), index: 0) }
      $0.setTexture(target, index: 1)
    }
    return try target.getBytes()
  }

  /// From 3/4 of the width left of the picture to 3/4 right of it.
  private static func coordinate(_ x: Int, _ count: Int) -> Float { (Float(x) + 0.5) / Float(count) * 2 - 0.5 }

  private static func expected(_ picture: Image, _ sampler: SamplerDescriptor) -> [UInt8] {
    func pixel(_ x: Int, _ y: Int) -> SIMD4<Float> {
      func place(_ index: Int, _ count: Int) -> Int? {
        switch sampler.sAddressMode {
        case .clampToEdge: return min(max(index, 0), count - 1)
        case .repeat: return (index + 4 * count) % count
        case .mirrorRepeat:
          let turned = (index + 4 * count) % (2 * count)
          return min(turned, 2 * count - 1 - turned)
        case .clampToBorderColor: return (0..<count).contains(index) ? index : nil
        }
      }
      guard let column = place(x, picture.size.width), let row = place(y, picture.size.height) else {
        return SIMD4(repeating: 255)
      }
      return SIMD4((0..<4).map { Float(picture.bytes[(row * picture.size.width + column) * 4 + $0]) })
    }
    return (0..<size.height).flatMap { y in
      (0..<size.width).flatMap { x -> [UInt8] in
        let (u, v) = (
          coordinate(x, size.width) * Float(picture.size.width), coordinate(y, size.height) * Float(picture.size.height)
        )
        guard sampler.magFilter == .linear else {
          let found = pixel(Int(u.rounded(.down)), Int(v.rounded(.down)))
          return (0..<4).map { UInt8(found[$0]) }
        }
        let (left, top) = ((u - 0.5).rounded(.down), (v - 0.5).rounded(.down))
        let (right, bottom) = (u - 0.5 - left, v - 0.5 - top)
        let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map { pixel(Int(left) + $0, Int(top) + $1) }
        if sampler.reduction == .minimum {
          return (0..<4).map { channel in UInt8(corners.map { $0[channel] }.min() ?? 0) }
        }
        let mean =
          (corners[0] * (1 - right) + corners[1] * right) * (1 - bottom)
          + (corners[2] * (1 - right) + corners[3] * right) * bottom
        return (0..<4).map { UInt8(mean[$0].rounded()) }
      }
    }
  }

  private static let function = ShaderFunction(
    "enlarge",
    """
    #include "Common/compute.glsl"
    layout(binding = 0) uniform sampler2D source;
    layout(rgba8ui, binding = 1) writeonly uniform uimage2D destination;
    void main() {
      if (isOutsideGrid()) return;
      vec2 place = (vec2(gl_GlobalInvocationID.xy) + 0.5) / vec2(safelight_threadsPerGrid) * 2.0 - 0.5;
      vec4 value = textureLod(source, place, 0.0);
      imageStore(destination, ivec2(gl_GlobalInvocationID.xy), uvec4(round(value * 255.0)));
    }
    """, arguments: [.sampledTexture(0), .storageTexture(1)],
    twin: .storing(1) { arguments, x, y in
      let (u, v) = (coordinate(x, arguments.grid.width), coordinate(y, arguments.grid.height))
      return arguments.texture(0).sample(arguments.sampler(0), u, v)
    })
}

/// Functions over words of a buffer.
enum OffsetFunctions {
  /// Adds a number to each word, from the buffer's offset on.
  static let add = ShaderFunction(
    "add",
    """
    #include "Common/compute.glsl"
    layout(std430, binding = 0) buffer Words { uint words[]; };
    layout(std140, binding = 1) uniform Amount { uvec4 amount; };
    void main() {
      if (isOutsideGrid()) return;
      words[safelight_bufferOffsets[0] + gl_GlobalInvocationID.x] += amount.x;
    }
    """, arguments: [.storageBuffer(0), .bytes(1)],
    twin: ShaderTwin { arguments in
      let amount = arguments.words(1)[0]
      arguments.buffer(0).withWords { words in
        for index in 0..<arguments.grid.width { words[index] &+= amount }
      }
    })

  /// The same, without support for offsets.
  static let deaf = ShaderFunction(
    "deaf",
    """
    #include "Common/compute.glsl"
    layout(std430, binding = 0) buffer Words { uint words[]; };
    layout(std140, binding = 1) uniform Amount { uvec4 amount; };
    void main() {
      if (!isOutsideGrid()) words[gl_GlobalInvocationID.x] += amount.x;
    }
    """, arguments: [.storageBuffer(0), .bytes(1)], twin: add.twin)
}

extension ComputeCommandEncoder {
  /// Adds `amount` to as many words with ``OffsetFunctions/add``, which must be set.
  func add(_ amount: UInt32, toWords count: Int) {
    setBytes(SIMD4<UInt32>(amount, 0, 0, 0), index: 1)
    dispatchThreads(Size(count, 1), threadsPerThreadgroup: Size(8, 1))
  }
}
