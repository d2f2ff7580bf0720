import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Bound resources must fit their declarations, and every device refuses others with the same words.
@Suite struct BindingTypeDeviceTests {
  private static let function = ShaderFunction(
    "soften",
    """
    #include "Common/compute.glsl"
    layout(binding = 0) uniform sampler2D source;
    layout(binding = 2) uniform usampler2D table;
    layout(binding = 3) uniform highp sampler2DArray layers;
    layout(binding = 1, rgba8ui) writeonly uniform uimage2D destination;
    layout(std430, binding = 0) buffer Words { uvec4 head; uint words[]; };
    layout(std140, binding = 4) uniform Parameters { uvec4 values; float amount; };
    void main() {
      if (isOutsideGrid()) return;
      ivec2 place = ivec2(gl_GlobalInvocationID.xy);
      vec4 sum = texelFetch(source, place, 0) + texelFetch(layers, ivec3(place, 0), 0);
      words[0] = head.x;
      imageStore(destination, place, uvec4(sum * amount) + texelFetch(table, place, 0) + values);
    }
    """, twin: ShaderTwin { _ in })

  struct Setting: Sendable {
    var source = PixelFormat.rgba8Unorm
    var table = PixelFormat.rgba16Uint
    var destination = PixelFormat.rgba8Unorm
    var layers = TextureDescriptor.TextureType.type2DArray
    var length = 20
    var offset = 0
    var bytes = 20
  }

  private func run(_ device: Device, _ setting: Setting) throws {
    let layers = TextureDescriptor(setting.layers, Size(4, 4), .rgba8Unorm)
    let textures = try [
      device.makeTexture(Size(4, 4), setting.source, label: "frame"),
      device.makeTexture(Size(4, 4), setting.destination, label: "result"),
      device.makeTexture(Size(4, 4), setting.table, label: "curve"), device.makeTexture(layers, label: "layers"),
    ]
    let words = try device.makeBuffer(length: setting.length, label: "numbers")
    try device.dispatch(Self.function, Size(4, 4)) {
      for (index, texture) in textures.enumerated() { $0.setTexture(texture, index: index) }
      $0.setBuffer(words, offset: setting.offset, index: 0)
      switch setting.bytes {
      case 16: $0.setBytes(SIMD4<UInt32>(), index: 4)
      case 20: $0.setBytes((SIMD4<UInt32>(), Float(1)), index: 4)
      default: $0.setBuffer(words, offset: setting.bytes, index: 4)
      }
    }
  }

  @Test(arguments: TestDevice.all) func whatFitsRuns(_ test: TestDevice) throws {
    try run(try test.open(), Setting())
    try run(try test.open(), Setting(source: .rgba16Float, destination: .bgra8Unorm, length: 276, offset: 256))
  }

  /// Settings that every device refuses, and the words of the refusals.
  static let refusals = [
    (
      Setting(source: .rgba16Uint), "texture 0 'source'",
      "it is a sampler2D (floats), but 'frame' is rgba16Uint (integers)",
      "declare a usampler2D, or bind a normalized texture"
    ),
    (
      Setting(table: .rgba8Unorm), "texture 2 'table'",
      "it is a usampler2D (integers), but 'curve' is rgba8Unorm (normalized)",
      "declare a sampler2D, or bind a texture of integers such as rgba16Uint"
    ),
    (
      Setting(destination: .rgba16Uint), "texture 1 'destination'",
      "it is a uimage2D (rgba8ui), but 'result' is rgba16Uint (integers)",
      "declare layout(rgba16ui) uimage2D, or bind a texture of rgba8ui"
    ),
    (
      Setting(layers: .type2D), "texture 3 'layers'", "it is a sampler2DArray, but 'layers' is a texture of type2D",
      "bind a texture of type2DArray, or a view of that type"
    ),
    (
      Setting(length: 16), "buffer 0 'Words'", "it needs 20 bytes, but 'numbers' gives 16",
      "bind a buffer of at least 20 bytes"
    ),
    (
      Setting(length: 272, offset: 256), "buffer 0 'Words'",
      "it needs 20 bytes, but 'numbers' from offset 256 gives 16", "bind a buffer of at least 20 bytes"
    ),
    (
      Setting(bytes: 16), "bytes 4 'Parameters'", "it needs 20 bytes, but setBytes gives 16",
      "pass a value that is laid out like the block"
    ),
    (
      Setting(length: 32, bytes: 24), "bytes 4 'Parameters'",
      "it needs 20 bytes, but 'numbers' from offset 24 gives 8", "pass a value that is laid out like the block"
    ),
  ]

  @Test(arguments: TestDevice.all, refusals)
  func theRestIsRefused(
    _ test: TestDevice, _ refusal: (setting: Setting, what: String, why: String, remedy: String)
  ) throws {
    let device = try test.open()
    expectError(
      .usage, what: .ends("'test' › 'compute' (BindingTypeDeviceTests.swift:", "): \(refusal.what) of 'soften'"),
      why: .whole(refusal.why), remedy: .whole(refusal.remedy)
    ) { try run(device, refusal.setting) }
    try run(device, Setting())
  }

  /// The same checks apply to the fragment function of a draw.
  @Test(arguments: TestDevice.all) func drawsAreCheckedToo(_ test: TestDevice) throws {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(
      fullScreen: ShaderFunction(
        "shade",
        """
        layout(binding = 0) uniform usampler2D source;
        layout(location = 0) out vec4 color;
        void main() { color = vec4(texelFetch(source, ivec2(0), 0)); }
        """, twin: ShaderTwin { _ in }))
    let source = try device.makeTexture(Size(1, 1), .rgba8Unorm, label: "frame")
    let target = try device.makeTexture(Size(1, 1), .rgba8Unorm)
    expectError(
      what: .ends("'test' › 'render' (BindingTypeDeviceTests.swift:", "): texture 0 'source' of 'shade'")
    ) {
      try device.render(RenderPassDescriptor(texture: target), pipeline) { $0.setFragmentTexture(source, index: 0) }
    }
  }

}
