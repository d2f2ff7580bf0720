import Foundation
import Safelight
import TestSupport
import Testing

private let text = """
  #include "Common/compute.glsl"

  layout(binding = 0) uniform sampler2D source;
  layout(binding = 1, rgba8ui) writeonly uniform uimage2D destination;

  layout(std140, binding = 2) uniform Parameters {
    uvec4 steps;  // in x, from 2 to 256
  };

  void main() {
    if (isOutsideGrid()) return;
    ivec2 position = ivec2(gl_GlobalInvocationID.xy);
    uvec4 pixel = uvec4(texelFetch(source, position, 0) * 255.0 + 0.5);
    uvec4 level = pixel * steps.x / 256u;
    uvec4 posterized = level * 255u / (steps.x - 1u);
    imageStore(destination, position, uvec4(posterized.rgb, pixel.a));
  }
  """

private func posterize(_ arguments: TwinArguments) {
  let steps = arguments.words(2)[0]
  arguments.texture(0).withSamples(of: UInt8.self) { source in
    arguments.texture(1).withMutableSamples(of: UInt8.self) { destination in
      for index in source.indices {
        let level = UInt32(source[index]) * steps / 256
        let isColor = index % 4 < 3
        destination[index] = isColor ? UInt8(level * 255 / (steps - 1)) : source[index]
      }
    }
  }
}

/// The code of the page "Writing a kernel and its twin", in its order.
@Suite struct WritingAKernelDeviceTests {
  private let folder = TemporaryFolder()

  @Test func thePageShowsWhatRunsHere() throws {
    try DocumentedCode("Sources/Safelight/Safelight.docc/WritingAKernel.md").expect(
      9, blocksIn: #filePath,
      naming: ["private ": "", "try test.open()": "try Device.open(.auto)", "folder.path": "\"kernels\""])
  }

  @Test(arguments: TestDevice.all)
  func aKernelAndItsTwinGiveTheSameBytes(_ test: TestDevice) async throws {
    let picture = SyntheticImage.noise.image(Size(37, 19), channels: .rgba, depth: .bits8)

    let device = try test.open()
    let library = try device.makeLibrary(source: text)
    let function = try library.makeFunction(name: "source").withTwin(posterize)
    let pipeline = try await device.makeComputePipelineState(function)

    let source = try device.makeTexture(picture.size, .rgba8Unorm)
    let destination = try device.makeTexture(picture.size, .rgba8Unorm)
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "posterize")
    let upload = buffer.makeBlitCommandEncoder()
    upload.copy(from: picture, to: source)
    upload.endEncoding()
    let encoder = buffer.makeComputeCommandEncoder()
    encoder.setComputePipelineState(pipeline)
    encoder.setTexture(source, index: 0)
    encoder.setTexture(destination, index: 1)
    encoder.setBytes(SIMD4<UInt32>(4, 0, 0, 0), index: 2)
    encoder.dispatchThreads(picture.size, threadsPerThreadgroup: Size(8, 8))
    encoder.endEncoding()
    let blit = buffer.makeBlitCommandEncoder()
    let result = blit.read(destination)
    blit.endEncoding()

    let twin = try Device.open(.cpu)
    let onDevice = try await device.replayed(buffer.recording)
    let onCPU = try await twin.replayed(buffer.recording)
    let isExact = onDevice.contents(of: result) == onCPU.contents(of: result)

    #expect(isExact)
    let bytes = try #require(onDevice.contents(of: result))
    #expect(Set(bytes.enumerated().filter { $0.offset % 4 < 3 }.map(\.element)) == [0, 85, 170, 255])
  }
}

private let sumText = """
  #include "Common/compute.glsl"

  layout(binding = 0) uniform sampler2D source;
  layout(std430, binding = 1) buffer Sums { uint sums[]; };

  shared uint partial[THREADGROUP_MEMORY_LENGTH_0 / 4];

  void main() {
    uint lane = gl_LocalInvocationIndex;
    ivec2 position = ivec2(gl_GlobalInvocationID.xy);
    partial[lane] = isOutsideGrid() ? 0u : uint(texelFetch(source, position, 0)[CHANNEL] * 255.0 + 0.5);
    for (uint width = uint(partial.length()) / 2u; width > 0u; width /= 2u) {
      memoryBarrierShared();
      barrier();
      if (lane < width) partial[lane] += partial[lane + width];
    }
    if (lane == 0u) atomicAdd(sums[safelight_bufferOffsets[1]], partial[0]);
  }
  """

extension WritingAKernelDeviceTests {
  @Test(arguments: TestDevice.all)
  func threadgroupsShareMemoryAndConstantsChooseTheChannel(_ test: TestDevice) async throws {
    let picture = SyntheticImage.noise.image(Size(37, 19), channels: .rgba, depth: .bits8)
    let device = try test.open()
    let source = try device.makeTexture(picture.size, .rgba8Unorm)
    let sums = try device.makeBuffer(length: 12)
    try source.replace(region: source.bounds, withBytes: picture.bytes)
    for channel in 0..<3 {
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      let encoder = buffer.makeComputeCommandEncoder()

      var values = FunctionConstantValues()
      values.setConstantValue(Int32(channel), withName: "CHANNEL")
      let function = try device.makeLibrary(source: sumText).makeFunction(name: "source", constantValues: values)
        .withTwin { arguments in
          let sum = arguments.texture(0).withSamples(of: UInt8.self) { samples in
            stride(from: channel, to: samples.count, by: 4).reduce(UInt32(0)) { $0 + UInt32(samples[$1]) }
          }
          arguments.buffer(1).withWords { words in words[0] += sum }
        }

      let pipeline = try await device.makeComputePipelineState(function)
      encoder.setComputePipelineState(pipeline)
      encoder.setTexture(source, index: 0)
      encoder.setBuffer(sums, offset: channel * 4, index: 1)
      encoder.setThreadgroupMemoryLength(8 * 8 * 4, index: 0)
      encoder.dispatchThreads(source.size, threadsPerThreadgroup: Size(8, 8))

      encoder.endEncoding()
      buffer.commit()
      try await buffer.completed()
    }
    let expected = (0..<3).map { channel in
      stride(from: channel, to: picture.bytes.count, by: 4).reduce(UInt32(0)) { $0 + UInt32(picture.bytes[$1]) }
    }
    let found = try sums.withContents(of: UInt32.self) { words in words.indices.map { words[$0] } }
    #expect(found == expected)
  }

  @Test(arguments: TestDevice.all)
  func aFolderOfFilesIsALibrary(_ test: TestDevice) async throws {
    try folder.write(text, to: "posterize.comp")
    let device = try test.open()

    let library = try device.makeLibrary(filepath: folder.path)
    let function = try library.makeFunction(name: "posterize").withTwin(posterize)
    let pipeline = try await device.makeComputePipelineState(function)

    #expect(library.functionNames == ["posterize"])
    #expect(pipeline.function.arguments.count == 3)
  }
}
