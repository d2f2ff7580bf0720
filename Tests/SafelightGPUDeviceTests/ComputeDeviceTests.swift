import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// A user's compute functions, with both bodies.
@Suite struct ComputeDeviceTests {
  @Test(
    arguments: TestDevice.all,
    [
      (Size(1, 1), Size(8, 8)), (Size(17, 31), Size(8, 8)), (Size(64, 3), Size(8, 8)), (Size(5, 7), Size(128, 1)),
      (Size(8, 8), Size(1, 1)),
    ])
  func theGridIsCoveredAndNothingElse(_ test: TestDevice, _ sizes: (grid: Size, group: Size)) throws {
    let device = try test.open()
    let canvas = Size(80, 40)
    let texture = try device.makeTexture(canvas, .rgba8Unorm, bytes: [UInt8](repeating: 0xA5, count: canvas.area * 4))
    try device.dispatch(ComputeFunctions.stamp, sizes.grid, group: sizes.group) {
      $0.setTexture(texture, index: 1)
      $0.setBytes(SIMD4<UInt32>(40, 7, 11, 13), index: 2)
    }
    try device.contents(of: texture).expectPixels(canvas) { x, y in
      let isInside = x < sizes.grid.width && y < sizes.grid.height
      return isInside ? [UInt8(40 + x), UInt8(7 + y), 11, 13] : [0xA5, 0xA5, 0xA5, 0xA5]
    }
  }

  @Test(arguments: TestDevice.all)
  func wholeThreadgroupsRunWithoutAMask(_ test: TestDevice) throws {
    let device = try test.open()
    let counts = try device.makeBuffer(length: 64 * 4)
    let pipeline = try device.makeComputePipelineState(ComputeFunctions.scale, threadsPerThreadgroup: Size(16, 1))
    try device.run {
      $0.compute(pipeline) {
        $0.setBuffer(counts, index: 0)
        $0.setBytes(SIMD4<UInt32>(1, 5, 0, 0), index: 3)
        $0.dispatchThreadgroups(Size(3, 1), threadsPerThreadgroup: Size(16, 1))
      }
    }
    #expect(
      try device.contents(of: counts).words(UInt32.self) == [UInt32](repeating: 5, count: 48)
        + [UInt32](repeating: 0, count: 16))
  }

  /// Each dispatch reads the results of the one before, with other bytes: x becomes 3x + k, k from 0 to 19, in 32 bits.
  @Test(arguments: TestDevice.all)
  func dependentDispatchesSeeEachOther(_ test: TestDevice) throws {
    let device = try test.open()
    let start = (0..<1000).map { UInt32($0) }
    let numbers = try device.makeBuffer(bytes: start.bytes)
    let pipeline = try device.makeComputePipelineState(ComputeFunctions.scale, threadsPerThreadgroup: Size(64, 1))
    let middle = try device.run { buffer in
      let record = { (steps: Range<UInt32>) in
        buffer.compute(pipeline) {
          $0.setBuffer(numbers, index: 0)
          for step in steps {
            $0.setBytes(SIMD4<UInt32>(3, step, 0, 0), index: 3)
            $0.dispatchThreads(Size(1000, 1), threadsPerThreadgroup: Size(64, 1))
          }
        }
      }
      record(0..<10)
      let middle = buffer.blit { $0.read(numbers, range: 0..<4000) }
      record(10..<20)
      return middle
    }
    let after = { (steps: Range<UInt32>, from: [UInt32]) in
      from.map { steps.reduce($0) { UInt32(truncatingIfNeeded: UInt64($0) * 3 + UInt64($1)) } }
    }
    #expect(try middle.contents().words(UInt32.self) == after(0..<10, start))
    #expect(try device.contents(of: numbers).words(UInt32.self) == after(0..<20, start))
  }

  @Test func threadgroupsBeyondTheLimitAreRefused() throws {
    let device = try TestDevice.minimum.open()
    for size in [Size(16, 16), Size(129, 1), Size(1, 129)] {
      expectError(.limit, what: "scale", why: .containing("\(size)", "128")) {
        try device.makeComputePipelineState(ComputeFunctions.scale, threadsPerThreadgroup: size)
      }
    }
  }

  /// Every device runs 65535 threadgroups along an axis.
  @Test(arguments: TestDevice.all, [Size(65536, 1), Size(1, 65536)])
  func gridsBeyondTheLimitAreRefused(_ test: TestDevice, _ grid: Size) throws {
    let device = try test.open()
    let numbers = try device.makeBuffer(length: 65536 * 4)
    expectError(.limit, why: "a grid of \(grid) threadgroups exceeds 65535 along an axis") {
      try device.dispatch(ComputeFunctions.scale, grid, group: Size(1, 1)) {
        $0.setBuffer(numbers, index: 0)
        $0.setBytes(SIMD4<UInt32>(1, 0, 0, 0), index: 3)
      }
    }
  }
}

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
      try $0.compute(ComputePipelineState(Self.count)) {
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
    let arguments = try device.makeBuffer(bytes: ([3, 1, 3] as [UInt32]).bytes)
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
    let captures = try device.captures {
      let found = try counts(device, room: 3) {
        $0.dispatchThreads(Size(6, 4), depth: 3, threadsPerThreadgroup: Size(2, 2))
      }
      #expect(found == expected(Size(6, 4), layers: 3, room: 3))
    }
    let outputs = try #require(captures.first).replay(on: Device.open(.cpu), twins: TwinLibrary(Self.count))
    #expect(outputs.map(\.difference) == [nil])
    #expect(outputs.first?.expected.contains(3) == true)
  }
}
