import GoldenTesting
import SafelightGPU
import SafelightGolden
import SafelightImage
import TestSupport
import Testing

@Suite(.requiresGPU(), .golden()) struct ExpectConformsDeviceTests {
  private let image = GoldenFixture.picture(0)

  private let text = """
    #include "Common/compute.glsl"
    layout(binding = 0) uniform sampler2D source;
    layout(binding = 1, rgba8ui) writeonly uniform uimage2D destination;
    void main() {
      if (isOutsideGrid()) return;
      ivec2 position = ivec2(gl_GlobalInvocationID.xy);
      imageStore(destination, position, uvec4(texelFetch(source, position, 0) * 255.0 + 0.5));
    }
    """

  /// A copy whose twin adds `defect` to the last sample.
  private func record(_ device: Device, defect: UInt8) throws -> (CommandBuffer, RecordedOutput) {
    let function = try device.makeLibrary(source: text).makeFunction(name: "source").withTwin { arguments in
      arguments.texture(0).withSamples(of: UInt8.self) { source in
        arguments.texture(1).withMutableSamples(of: UInt8.self) { destination in
          for index in source.indices { destination[index] = source[index] }
          destination[destination.count - 1] &+= defect
        }
      }
    }
    let source = try device.makeTexture(image.size, .rgba8Unorm)
    let destination = try device.makeTexture(image.size, .rgba8Unorm)
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "copy")
    let upload = buffer.makeBlitCommandEncoder()
    upload.copy(from: image, to: source)
    upload.endEncoding()
    let encoder = buffer.makeComputeCommandEncoder(label: "copy")
    encoder.setComputePipelineState(ComputePipelineState(function))
    encoder.setTexture(source, index: 0)
    encoder.setTexture(destination, index: 1)
    encoder.dispatchThreads(image.size, threadsPerThreadgroup: Size(8, 8))
    encoder.endEncoding()
    let blit = buffer.makeBlitCommandEncoder()
    let result = blit.read(destination)
    blit.endEncoding()
    let descriptor = ImageDescriptor(size: image.size, channels: .rgba, depth: .bits8)
    return (buffer, RecordedOutput("destination", result, descriptor))
  }

  @Test func oneRecordingIsReplayedOnBothSides() throws {
    let device = try Device.open(.auto)
    let (buffer, output) = try record(device, defect: 0)
    let verdicts = try expectConforms(buffer, on: device, [output])
    #expect(verdicts.map(\.status) == [.exact])
  }

  @Test func aDefectOfOneSideIsFound() throws {
    let device = try Device.open(.auto)
    let (buffer, output) = try record(device, defect: 1)
    try withKnownIssue {
      try expectConforms(buffer, on: device, [output])
    } matching: {
      $0.comments.contains { $0.rawValue.contains("destination differs (CPU against ") }
    }
  }

  @Test func aToleranceThatSeesNothingIsUnsound() throws {
    let (device, twins) = (try Device.open(.auto), try Device.open(.cpu))
    let (gpu, cpu) = (try Output<GPU>(image, by: device), try Output<CPU>(image, by: twins))
    expectError(why: .containing("damaged copy")) { try expectConforms(gpu, to: cpu, tolerance: "max<=255") }
    try expectConforms(gpu, to: cpu)
  }

  @Test func theCallsToleranceHolds() throws {
    let (device, twins) = (try Device.open(.auto), try Device.open(.cpu))
    let gpu = try Output<GPU>(GoldenFixture.off(image), by: device)
    let cpu = try Output<CPU>(image, by: twins)
    #expect(try expectConforms(gpu, to: cpu, tolerance: "max<=9").status == .within)
    try withKnownIssue {
      let comparison = try expectConforms(gpu, to: cpu, tolerance: "maxx<=9")
      #expect(comparison.status == .differs)
    } matching: {
      let text = $0.comments.map(\.rawValue).joined()
      return text.contains("did you mean max?") || text.contains("max 9 > 0")
    }
  }

  @Test func zerosOnBothSidesProveNothing() throws {
    let device = try Device.open(.auto)
    let texture = try device.makeTexture(image.size, .rgba8Unorm)
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "nothing")
    let blit = buffer.makeBlitCommandEncoder()
    let result = blit.read(texture)
    blit.endEncoding()
    let output = RecordedOutput("nothing", result, ImageDescriptor(size: image.size, channels: .rgba, depth: .bits8))
    expectError(why: .containing("zeros on the device and on the CPU")) {
      try expectConforms(buffer, on: device, [output])
    }
    try expectGPUWithin(0, of: device)
  }

  /// Expects float samples that are `offset` steps away.
  private func expectGPUWithin(_ offset: Double, of device: Device) throws {
    let values = image.bytes.map { Double($0) + offset }
    try expectConforms(try Output<GPU>(image, by: device), toUnrounded: values, epsilon: 0.01)
  }

  @Test func unroundedValuesHaveAnInterval() throws {
    let device = try Device.open(.auto)
    try expectGPUWithin(0.4, of: device)
    try withKnownIssue {
      try expectGPUWithin(0.6, of: device)
    } matching: {
      $0.comments.contains { $0.rawValue.contains("expected before rounding") }
    }
  }

  /// From half a step on, an interval proves little.
  @Test(arguments: [-0.1, 0.5, 1000, .infinity, .nan])
  func anEpsilonThatProvesNothingIsRefused(_ epsilon: Double) throws {
    let device = try Device.open(.auto)
    let values = image.bytes.map(Double.init)
    expectError(.usage) {
      try expectConforms(try Output<GPU>(image, by: device), toUnrounded: values, epsilon: epsilon)
    }
    try expectGPUWithin(0, of: device)
  }

  @Test func theCPUIsNoOtherSideOfItself() throws {
    let twins = try Device.open(.cpu)
    let device = try Device.open(.auto)
    let (buffer, output) = try record(device, defect: 0)
    expectError(.incomparable) { try expectConforms(buffer, on: twins, [output]) }
    #expect(throws: SafelightError.self) { try expectConforms(buffer, on: device, []) }
    try expectConforms(buffer, on: device, [output])
  }
}
