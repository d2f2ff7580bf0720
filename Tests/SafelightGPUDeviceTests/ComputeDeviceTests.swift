import SafelightGPU
import SafelightImage
import SafelightShaders
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
    let poison = Image(
      size: canvas, channels: .rgba, depth: .bits8, bytes: [UInt8](repeating: 0xA5, count: canvas.area * 4))
    let texture = try device.makeTexture(canvas, .rgba8Unorm)
    let pipeline = try device.makeComputePipelineState(ComputeFunctions.stamp, threadsPerThreadgroup: sizes.group)
    try device.run {
      $0.blit { $0.copy(from: poison, to: texture) }
      $0.compute {
        $0.setComputePipelineState(pipeline)
        $0.setTexture(texture, index: 1)
        $0.setBytes(SIMD4<UInt32>(40, 7, 11, 13), index: 2)
        $0.dispatchThreads(sizes.grid, threadsPerThreadgroup: sizes.group)
      }
    }
    let painted = try device.contents(of: texture)
    for y in 0..<canvas.height {
      for x in 0..<canvas.width {
        let first = (y * canvas.width + x) * 4
        let isInside = x < sizes.grid.width && y < sizes.grid.height
        let expected = isInside ? [40 + x, 7 + y, 11, 13] : [0xA5, 0xA5, 0xA5, 0xA5]
        #expect(painted[first..<first + 4].map(Int.init) == expected, "at (\(x), \(y))")
      }
    }
  }

  @Test(arguments: TestDevice.all)
  func wholeThreadgroupsRunWithoutAMask(_ test: TestDevice) throws {
    let device = try test.open()
    let counts = try device.makeBuffer(length: 64 * 4)
    let pipeline = try device.makeComputePipelineState(ComputeFunctions.scale, threadsPerThreadgroup: Size(16, 1))
    try device.run {
      $0.compute {
        $0.setComputePipelineState(pipeline)
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
    let numbers = try device.makeBuffer(length: 1000 * 4)
    let start = (0..<1000).map { UInt32($0) }
    let pipeline = try device.makeComputePipelineState(ComputeFunctions.scale, threadsPerThreadgroup: Size(64, 1))
    let middle = try device.run { buffer in
      buffer.blit {
        $0.write(start.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }, to: numbers)
      }
      let record = { (steps: Range<UInt32>) in
        buffer.compute {
          $0.setComputePipelineState(pipeline)
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
      try device.run {
        $0.compute {
          $0.setComputePipelineState(ComputePipelineState(ComputeFunctions.scale))
          $0.setBuffer(numbers, index: 0)
          $0.setBytes(SIMD4<UInt32>(1, 0, 0, 0), index: 3)
          $0.dispatchThreads(grid, threadsPerThreadgroup: Size(1, 1))
        }
      }
    }
  }
}
