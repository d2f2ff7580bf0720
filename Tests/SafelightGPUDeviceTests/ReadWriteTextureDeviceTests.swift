import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

/// Textures that a kernel reads and writes in place.
@Suite struct ReadWriteTextureDeviceTests {
  /// Doubles each pixel and adds its column, with arguments read from the text.
  private static let double = ShaderFunction(
    "double",
    """
    #include "Common/compute.glsl"
    layout(binding = 0, r32ui) uniform highp uimage2D picture;
    void main() {
      if (isOutsideGrid()) return;
      ivec2 place = ivec2(gl_GlobalInvocationID.xy);
      imageStore(picture, place, imageLoad(picture, place) * 2u + uvec4(place.x));
    }
    """,
    twin: ShaderTwin { arguments in
      let width = arguments.grid.width
      arguments.texture(0).withMutableSamples(of: UInt32.self) { samples in
        for index in samples.indices { samples[index] = samples[index] * 2 + UInt32(index % width) }
      }
    })

  private func doubled(_ words: [UInt32], width: Int) -> [UInt32] {
    words.enumerated().map { $1 * 2 + UInt32($0 % width) }
  }

  private func run(_ commands: CommandBuffer, on texture: Texture, times: Int = 1) {
    commands.compute { encoder in
      encoder.setComputePipelineState(ComputePipelineState(Self.double))
      encoder.setTexture(texture, index: 0)
      for _ in 0..<times { encoder.dispatchThreads(texture.size, threadsPerThreadgroup: Size(4, 4)) }
    }
  }

  @Test func theTextSaysWhatItIs() { #expect(Self.double.arguments == [.readWriteTexture(0)]) }

  /// Each dispatch sees the results of the one before.
  @Test(arguments: TestDevice.all)
  func pixelsAreReadAndWritten(_ test: TestDevice) throws {
    let device = try test.open()
    let texture = try device.makeTexture(Size(5, 3), .r32Uint)
    let words = (0..<15).map { UInt32($0 * 1000) }
    try texture.replace(region: texture.bounds, withBytes: words.withUnsafeBytes { [UInt8]($0) })
    try device.run { run($0, on: texture, times: 3) }
    let expected = (0..<3).reduce(words) { words, _ in doubled(words, width: 5) }
    #expect(try texture.getBytes().words(UInt32.self) == expected)
  }

  /// A capture lists the texture's earlier contents as an input.
  @Test(arguments: TestDevice.all)
  func aCaptureKeepsWhatWasThere(_ test: TestDevice) throws {
    let device = try test.openAnother()
    defer { device.close() }
    let texture = try device.makeTexture(Size(3, 2), .r32Uint)
    let words = (0..<6).map { UInt32($0 + 7) }
    try texture.replace(region: texture.bounds, withBytes: words.withUnsafeBytes { [UInt8]($0) })
    let collector = CaptureCollector()
    try device.captureManager.startCapture(CaptureDescriptor(captureObject: .device, destination: collector))
    try device.run { run($0, on: texture) }
    device.captureManager.stopCapture()
    var twins = TwinLibrary()
    twins.add(Self.double)
    let capture = try #require(collector.captures.first)
    let outputs = try CaptureReplay(capture, device: try Device.open(.cpu), twins: twins).run()
    #expect(outputs.map(\.difference) == [nil])
    #expect(outputs.first?.expected.words(UInt32.self) == doubled(words, width: 3))
  }

  /// OpenGL ES reads and writes in place only formats of one 32-bit channel; the CPU refuses others alike.
  @Test(arguments: TestDevice.all)
  func otherFormatsAreRefused(_ test: TestDevice) throws {
    let device = try test.open()
    let function = ShaderFunction(
      "wide",
      """
      #include "Common/compute.glsl"
      layout(binding = 0, rgba8ui) uniform highp uimage2D picture;
      void main() { imageStore(picture, ivec2(0), imageLoad(picture, ivec2(0))); }
      """, twin: ShaderTwin { _ in })
    expectError(
      what: "'picture' of 'wide'", why: .containing("an image of rgba8ui cannot be read and written in place")
    ) { try device.makeComputePipelineState(function) }
  }

  @Test(arguments: TestDevice.all)
  func aStatementThatHidesReadsIsRefused(_ test: TestDevice) throws {
    let device = try test.open()
    let function = ShaderFunction(
      name: "double", assembly: Self.double.assembly, arguments: [.storageTexture(0)], twin: Self.double.twin)
    expectError(remedy: "declare it writeonly, or state .readWriteTexture(0)") {
      try device.makeComputePipelineState(function)
    }
  }
}
