import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

/// Formats that cannot be filtered are refused; OpenGL ES would read black.
@Suite struct FilteringDeviceTests {
  /// Reads halfway between the two pixels of a texture, times 1000.
  private static func read(_ sampler: String) -> ShaderFunction {
    let thousand = sampler == "sampler2D" ? "1000.0" : "1000u"
    return ShaderFunction(
      "read",
      """
      layout(local_size_x = 1) in;
      layout(binding = 0) uniform \(sampler) source;
      layout(std430, binding = 1) buffer Words { uint words[]; };
      void main() { words[0] = uint(textureLod(source, vec2(0.5, 0.5), 0.0).x * \(thousand)); }
      """,
      twin: ShaderTwin { arguments in
        let value = arguments.texture(0).sample(arguments.sampler(0), 0.5, 0.5).x
        arguments.buffer(1).withWords { $0[0] = UInt32(value * 1000) }
      })
  }

  private func read(_ device: Device, _ texture: Texture, _ filter: SamplerDescriptor.Filter) throws -> UInt32 {
    let words = try device.makeBuffer(length: 4)
    let sampler = try device.makeSamplerState(SamplerDescriptor(filter: filter), label: "soft")
    let function = Self.read(texture.pixelFormat.sampleKind == .integer ? "usampler2D" : "sampler2D")
    try device.dispatch(function, Size(1, 1), group: Size(1, 1)) {
      $0.setTexture(texture, index: 0)
      $0.setSamplerState(sampler, index: 0)
      $0.setBuffer(words, index: 1)
    }
    return try device.contents(of: words).words(UInt32.self)[0]
  }

  @Test(arguments: TestDevice.all, [true, false])
  func floatsAreFilteredWhereTheDeviceCan(_ test: TestDevice, _ isClamped: Bool) throws {
    var limits = try test.open().capabilities
    if isClamped { limits.features.remove(.linearFloat32) }
    let device = try test.open(limits: limits)
    let texture = try device.makeTexture(Size(2, 1), .r32Float)
    try texture.replace(region: texture.bounds, withBytes: [1, 3].flatMap { Self.bytes(Float($0)) })
    #expect([1000, 3000].contains(try read(device, texture, .nearest)))
    guard device.capabilities.features.contains(.linearFloat32) else {
      return expectError(
        .unsupported, why: "sampler 'soft' filters texture 0 of r32Float, but this device cannot filter that format",
        remedy: "use the half-float format, or a sampler with nearest filters"
      ) { try read(device, texture, .linear) }
    }
    #expect(try read(device, texture, .linear) == 2000)
  }

  @Test(arguments: TestDevice.all)
  func integersAreNeverFiltered(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try device.makeTexture(Size(2, 1), .r32Uint)
    try texture.replace(region: texture.bounds, withBytes: [1, 0, 0, 0, 3, 0, 0, 0])
    #expect([1000, 3000].contains(try read(device, texture, .nearest)))
    expectError(
      .unsupported, why: "sampler 'soft' filters texture 0 of r32Uint, but this device cannot filter that format"
    ) { try read(device, texture, .linear) }
  }

  @Test(arguments: TestDevice.all, [true, false])
  func floatsAreBlendedWhereTheDeviceCan(_ test: TestDevice, _ isClamped: Bool) throws {
    var limits = try test.open().capabilities
    if isClamped { limits.features.remove(.float32Blending) }
    let device = try test.open(limits: limits)
    var descriptor = DrawingFunctions.descriptor()
    descriptor.colorAttachments[0].pixelFormat = .rgba32Float
    descriptor.colorAttachments[0].isBlendingEnabled = true
    if device.capabilities.features.contains(.float32Blending) {
      _ = try device.makeRenderPipelineState(descriptor)
    } else {
      expectError(.unsupported, why: "this device cannot blend into attachment 0 of rgba32Float") {
        try device.makeRenderPipelineState(descriptor)
      }
    }
  }

  private static func bytes(_ value: Float) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
  }
}
