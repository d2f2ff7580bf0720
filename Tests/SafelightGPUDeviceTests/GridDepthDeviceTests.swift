import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

/// Grids of several layers.
@Suite struct GridDepthDeviceTests {
  /// Counts each thread at its position, layer after layer.
  private static let count = ShaderFunction(
    "count",
    """
    #include "Common/compute.glsl"
    layout(std430, binding = 0) buffer Words { uint words[]; };
    layout(std140, binding = 1) uniform Extent { uvec4 extent; };
    void main() {
      if (isOutsideGrid()) return;
      uvec3 place = gl_GlobalInvocationID;
      words[(place.z * extent.y + place.y) * extent.x + place.x] += place.z + 1u;
    }
    """, arguments: [.storageBuffer(0), .bytes(1)],
    twin: ShaderTwin { arguments in
      let (width, height) = (Int(arguments.words(1)[0]), Int(arguments.words(1)[1]))
      arguments.buffer(0).withWords { words in
        for z in 0..<arguments.depth {
          for y in 0..<arguments.grid.height {
            for x in 0..<arguments.grid.width { words[(z * height + y) * width + x] += UInt32(z + 1) }
          }
        }
      }
    })

  /// Runs `count` on a grid of 6×4 places in `room` layers by `dispatch`.
  private func counts(
    _ device: Device, room: Int, _ dispatch: (ComputeCommandEncoder) throws -> Void
  ) throws -> [UInt32] {
    let words = try device.makeBuffer(length: 6 * 4 * room * 4)
    try device.run {
      try $0.compute {
        $0.setComputePipelineState(ComputePipelineState(Self.count))
        $0.setBuffer(words, index: 0)
        $0.setBytes(SIMD4<UInt32>(6, 4, 0, 0), index: 1)
        try dispatch($0)
      }
    }
    return try device.contents(of: words).words(UInt32.self)
  }

  private func expected(_ grid: Size, layers: Int, room: Int) -> [UInt32] {
    (0..<room).flatMap { (z: Int) -> [UInt32] in
      (0..<4).flatMap { (y: Int) -> [UInt32] in
        (0..<6).map { (x: Int) -> UInt32 in z < layers && x < grid.width && y < grid.height ? UInt32(z + 1) : 0 }
      }
    }
  }

  @Test(arguments: TestDevice.all)
  func everyLayerRuns(_ test: TestDevice) throws {
    let device = try test.open()
    let threads = try counts(device, room: 5) {
      $0.dispatchThreads(Size(5, 3), depth: 4, threadsPerThreadgroup: Size(2, 2))
    }
    #expect(threads == expected(Size(5, 3), layers: 4, room: 5))
    let groups = try counts(device, room: 5) {
      $0.dispatchThreadgroups(Size(3, 2), depth: 5, threadsPerThreadgroup: Size(2, 2))
    }
    #expect(groups == expected(Size(6, 4), layers: 5, room: 5))
  }

  @Test(arguments: TestDevice.all)
  func theLayersCanLieInABuffer(_ test: TestDevice) throws {
    let device = try test.open()
    let words: [UInt32] = [3, 1, 3]
    let arguments = try device.makeBuffer(bytes: words.withUnsafeBytes { [UInt8]($0) })
    let found = try counts(device, room: 4) {
      $0.dispatchThreadgroups(indirectBuffer: arguments, threadsPerThreadgroup: Size(2, 2))
    }
    #expect(found == expected(Size(6, 2), layers: 3, room: 4))
  }

  @Test(arguments: TestDevice.all)
  func tooManyLayersAreRefused(_ test: TestDevice) throws {
    let device = try test.open()
    expectError(.limit, why: "a grid of 2×1 threadgroups in 65536 layers exceeds 65535 along an axis") {
      try counts(device, room: 1) {
        $0.dispatchThreads(Size(2, 1), depth: 65536, threadsPerThreadgroup: Size(1, 1))
      }
    }
  }

  /// A capture carries the layers, and runs again on the CPU.
  @Test(arguments: TestDevice.all)
  func aCaptureKeepsTheLayers(_ test: TestDevice) throws {
    let device = try test.openAnother()
    defer { device.close() }
    let collector = CaptureCollector()
    try device.captureManager.startCapture(CaptureDescriptor(captureObject: .device, destination: collector))
    let found = try counts(device, room: 3) {
      $0.dispatchThreads(Size(6, 4), depth: 3, threadsPerThreadgroup: Size(2, 2))
    }
    device.captureManager.stopCapture()
    #expect(found == expected(Size(6, 4), layers: 3, room: 3))
    let capture = try #require(collector.captures.first)
    var twins = TwinLibrary()
    twins.add(Self.count)
    let outputs = try CaptureReplay(capture, device: try Device.open(.cpu), twins: twins).run()
    #expect(outputs.count == 1)
    for output in outputs {
      #expect(output.difference == nil)
      #expect(output.expected.contains(3))
    }
  }
}
