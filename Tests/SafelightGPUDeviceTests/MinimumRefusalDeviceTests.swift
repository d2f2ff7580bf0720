import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// A GPU with the minimum limits of OpenGL ES 3.1 and the Swift twins opened with them refuse the same things with the
/// same words.
@Suite struct MinimumRefusalDeviceTests {
  /// Something that the minimum device does not support.
  struct Request: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let kind: SafelightError.Kind
    /// A word of the remedy.
    let remedy: String
    let run: @Sendable (Device) throws -> Void

    init(
      _ name: String, _ kind: SafelightError.Kind = .unsupported, remedy: String,
      _ run: @escaping @Sendable (Device) throws -> Void
    ) {
      (testDescription, self.kind, self.remedy, self.run) = (name, kind, remedy, run)
    }
  }

  private static func texture(
    _ device: Device, _ format: PixelFormat = .rgba8Unorm, _ type: TextureDescriptor.TextureType = .type2D,
    levels: Int = 1, samples: Int = 1
  ) throws -> Texture {
    var descriptor = TextureDescriptor(type, Size(4, 4), format, levels: levels, samples: samples)
    if type == .type2DArray || type == .type2DMultisampleArray { descriptor.arrayLength = 2 }
    return try device.makeTexture(descriptor, label: "asked")
  }

  /// A kernel that demands an extension.
  private static func function(_ name: String) -> ShaderFunction {
    ShaderFunction(
      "demanding", "// 1\n#extension \(name) : require\nlayout(local_size_x = 1) in;\nvoid main() {}", arguments: [],
      twin: ShaderTwin { _ in })
  }

  static let requests: [Request] = [
    Request("clear a float target", remedy: "normalized") { device in
      let target = try texture(device, .rgba16Float)
      try device.render(RenderPassDescriptor(texture: target, loadAction: .clear(0, 0, 0, 0)))
    },
    Request("draw into a float target", remedy: "normalized") { device in
      let target = try texture(device, .rgba32Float)
      let pipeline = try device.makeRenderPipelineState(
        DrawingFunctions.descriptor(DrawingFunctions.flat, DrawingFunctions.flatColor, .rgba32Float))
      try device.render(RenderPassDescriptor(texture: target)) { $0.draw(Corner.everywhere, with: pipeline) }
    },
    Request("read floats back", remedy: "normalized") { _ = try texture($0, .r32Float).getBytes() },
    Request("copy floats to a buffer", remedy: "normalized") { device in
      let (source, target) = (try texture(device, .r32Float), try device.makeBuffer(length: 64))
      try device.blit { $0.copy(from: source, to: target, bytesPerRow: 16) }
    },
    Request("copy floats to a texture", remedy: "normalized") { device in
      let (source, target) = (try texture(device, .r16Float), try texture(device, .r16Float))
      try device.blit { $0.copy(from: source, to: target) }
    },
    Request("make levels of floats", remedy: "normalized") { device in
      let target = try texture(device, .rgba16Float, levels: 3)
      try device.blit { $0.generateMipmaps(for: target) }
    },
    Request("view a slice", remedy: "copy") {
      let view = try texture($0, .rgba8Unorm, .type2DArray).makeTextureView(textureType: .type2D, slices: 1..<2)
      _ = try view.getBytes()
    },
    Request("write through another format", remedy: "copy") {
      let view = try texture($0).makeTextureView(pixelFormat: .r32Uint)
      try view.replace(region: view.bounds, withBytes: [UInt8](repeating: 1, count: 64))
    },
    Request("clear a view of a slice", remedy: "copy") { device in
      let array = try texture(device, .rgba8Unorm, .type2DArray)
      let view = array.makeTextureView(slices: 0..<1).makeTextureView(levels: 0..<1)
      try device.render(RenderPassDescriptor(texture: view, loadAction: .clear(0, 0, 0, 0)))
    },
    Request("several samples of integers", .limit, remedy: "one sample") {
      _ = try texture($0, .rgba16Uint, .type2DMultisample, samples: 4)
    },
    Request("draw several samples of integers", .limit, remedy: "one sample") {
      _ = try $0.makeRenderPipelineState(
        DrawingFunctions.descriptor(DrawingFunctions.flat, DrawingFunctions.flatColor, .r32Uint, samples: 2))
    },
    Request("several samples of floats", remedy: "rgba8Unorm") {
      _ = try texture($0, .rgba16Float, .type2DMultisample, samples: 4)
    },
    Request("an array of several samples", remedy: "type2DMultisample for each image") {
      _ = try texture($0, .rgba8Unorm, .type2DMultisampleArray, samples: 4)
    },
    Request("borders", remedy: "clampToEdge") { device in
      var sampler = SamplerDescriptor()
      sampler.sAddressMode = .clampToBorderColor
      _ = try device.makeSamplerState(sampler, label: "border")
    },
    Request("vote", remedy: "threadgroup memory") {
      _ = try $0.makeComputePipelineState(function("GL_EXT_shader_group_vote"))
    },
    Request("subgroups", remedy: "threadgroup memory") {
      _ = try $0.makeComputePipelineState(function("GL_KHR_shader_subgroup_arithmetic"))
    },
    Request("store to every format", remedy: "render pass") {
      _ = try $0.makeComputePipelineState(function("GL_NV_image_formats"))
    },
    Request("an extension without a bit", remedy: "do without it") {
      _ = try $0.makeComputePipelineState(function("GL_OES_shader_image_atomic"))
    },
    Request("read the target", remedy: "second pass") {
      _ = try $0.makeRenderPipelineState(fullScreen: FetchingFunctions.multiply)
    },
  ]

  @Test(arguments: requests)
  func bothBackendsRefuseAlike(_ request: Request) throws {
    var errors: [SafelightError?] = []
    for test in TestDevice.atMinimumLimits {
      let device = try test.open()
      errors.append(#expect(throws: SafelightError.self, "\(test)") { try request.run(device) })
    }
    #expect(errors[0] == errors[1])
    #expect(errors[0]?.kind == request.kind && errors[0]?.remedy?.contains(request.remedy) == true, "\(errors)")
  }

  /// The message names the line. Twins need no extensions, so twins without limits refuse none.
  @Test func aDemandIsToldWithItsPlace() throws {
    let function = Self.function("GL_KHR_shader_subgroup_basic")
    for test in TestDevice.gles + [TestDevice(name: "cpu-minimum")] {
      let device = try test.open()
      guard !device.capabilities.features.contains(.subgroups) else { continue }
      expectError(what: "'demanding'", why: "source:2 demands GL_KHR_shader_subgroup_basic, which this device lacks") {
        try device.makeComputePipelineState(function)
      }
    }
    _ = try TestDevice(name: "cpu").open().makeComputePipelineState(function)
  }
}
