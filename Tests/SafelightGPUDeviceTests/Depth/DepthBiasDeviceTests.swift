import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Biased depths, and depths beyond the planes.
@Suite struct DepthBiasDeviceTests {
  /// Returns whether a triangle drawn again with a bias is nearer.
  private func isNearer(
    _ device: Device, _ format: PixelFormat, _ corners: ([SIMD4<UInt8>]) -> [[Corner]], _ bias: Float,
    _ slope: Float, _ clamp: Float = 0
  ) throws -> Bool {
    let layers = corners([.red, .green])
    let painted = try device.deep(Size(8, 8), format, comparesDepths: false) { encoder in
      encoder.testNearer(device)
      encoder.draw(layers[0])
      encoder.setDepthBias(bias, slopeScale: slope, clamp: clamp)
      encoder.draw(layers[1])
    }
    let first = painted.pixel(0, 0, width: 8)
    #expect(painted == (0..<64).flatMap { _ in first }, "not one color")
    return first == [0, 255, 0, 255]
  }

  private func level(_ colors: [SIMD4<UInt8>]) -> [[Corner]] { colors.map { .sheet(0.5, $0) } }

  /// A slope of 1/8 from the left to the right edge, 1/64 from pixel to pixel.
  private func rising(_ colors: [SIMD4<UInt8>]) -> [[Corner]] {
    colors.map {
      [Corner(-1, 3, 0.5, $0), Corner(3, -1, 0.75, $0), Corner(-1, -1, 0.5, $0)]
    }
  }

  @Test(arguments: TestDevice.all, DepthTestDeviceTests.formats)
  func aBiasMovesWhatLiesInOnePlane(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    #expect(try !isNearer(device, format, level, 0, 0))
    #expect(try isNearer(device, format, level, -8, 0))
    #expect(try !isNearer(device, format, level, 8, 0))
  }

  /// The slope scale matters only for sloped triangles.
  @Test(arguments: TestDevice.all, DepthTestDeviceTests.formats)
  func aSlopeMovesWhatRises(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    #expect(try isNearer(device, format, rising, 0, -1))
    #expect(try !isNearer(device, format, rising, 0, 1))
    #expect(try !isNearer(device, format, level, 0, -1))
  }

  /// A step of fixed point is many steps of a float: the same bias moves a depth of 16 bits much further.
  @Test(arguments: TestDevice.all)
  func aBiasCountsStepsOfTheFormat(_ test: TestDevice) throws {
    let device = try test.open()
    for (format, passes) in [(PixelFormat.depth16Unorm, true), (.depth32Float, false)] {
      let color = try device.deepColor(format, comparesDepths: false) { encoder in
        encoder.testNearer(device)
        encoder.draw(.sheet(0.5, .red))
        encoder.setDepthBias(-1000, slopeScale: 0, clamp: 0)
        encoder.draw(.sheet(0.505, .green))
      }
      #expect(color == (passes ? .green : .red), "\(format.rawValue)")
    }
  }

  @Test(arguments: TestDevice.all)
  func aBiasIsBoundWhereTheDeviceCan(_ test: TestDevice) throws {
    let device = try test.open()
    func color() throws -> SIMD4<UInt8>? {
      try device.deepColor(.depth16Unorm, comparesDepths: false) { encoder in
        encoder.testNearer(device)
        encoder.draw(.sheet(0.5, .red))
        encoder.setDepthBias(-10000, slopeScale: 0, clamp: -0.0625)
        encoder.draw(.sheet(0.6, .green))
      }
    }
    guard device.capabilities.features.contains(.depthBiasClamp) else {
      return expectError(.unsupported, why: "this device cannot clamp a depth bias (to -0.0625)") { try color() }
    }
    // Without the clamp the bias is about 0.15, enough to be nearer.
    #expect(try color() == .red)
  }

  /// A corner with a NaN depth has no position: neither GPUs nor twins draw its triangle.
  @Test(arguments: TestDevice.all, [Float.nan, .infinity, -.infinity])
  func aCornerAtNoDepthIsNotDrawn(_ test: TestDevice, _ depth: Float) throws {
    let device = try test.open()
    for place in 0..<3 {
      let color = try device.deepColor(.depth32Float) { encoder in
        encoder.setDepthBias(1, slopeScale: 1, clamp: 0)
        // Inside all planes, so that clipping does not remove the corner.
        var corners = [
          Corner(-1, 1, 0.5, .green), Corner(1, -1, 0.5, .green), Corner(-1, -1, 0.5, .green),
        ]
        corners[place].z = depth
        encoder.draw(corners)
      }
      #expect(color == .black, "corner \(place)")
    }
  }

  /// A triangle with a part before the near plane and a part behind the far plane, with or without holes there.
  @Test(arguments: TestDevice.all, DepthTestDeviceTests.formats)
  func depthsBeyondThePlanesAreCutOrClamped(_ test: TestDevice, _ format: PixelFormat) throws {
    let device = try test.open()
    func draw(_ mode: DepthClipMode, keeping clear: Double, _ function: CompareFunction) throws -> [UInt8] {
      try device.deep(Size(8, 2), format, clearDepth: clear, comparesDepths: false) { encoder in
        encoder.test(device) { $0.depthCompareFunction = function }
        encoder.setDepthClipMode(mode)
        // From −0.5 at the left edge to 1.5 at the right: inside from column 2 to column 5.
        encoder.draw([
          Corner(-1, 3, -0.5, .green), Corner(3, -1, 3.5, .green), Corner(-1, -1, -0.5, .green),
        ])
      }
    }
    func columns(_ bytes: [UInt8]) -> [Bool] { (0..<8).map { bytes.pixel($0, 1, width: 8)[1] == 255 } }
    let inside = (0..<8).map { (2...5).contains($0) }
    #expect(try columns(draw(.clip, keeping: 1, .always)) == inside)
    guard device.capabilities.features.contains(.depthClamp) else {
      return expectError(.unsupported, why: "this device cannot clamp depths beyond the near and far planes") {
        try draw(.clamp, keeping: 1, .always)
      }
    }
    #expect(try columns(draw(.clamp, keeping: 1, .always)) == [Bool](repeating: true, count: 8))
    // Clamped depths are those of the planes.
    #expect(try columns(draw(.clamp, keeping: 0, .equal)) == (0..<8).map { $0 < 2 })
    #expect(try columns(draw(.clamp, keeping: 1, .equal)) == (0..<8).map { $0 > 5 })
  }
}

/// Depths are clamped before the test (EXT_depth_clamp): functions see unclamped depths, and depths they write are
/// clamped too.
@Suite struct DepthClampDeviceTests {
  /// A function that writes a part of its depth plus an offset.
  private static func writing(_ share: Float, _ more: Float) -> ShaderFunction {
    DrawingFunctions.coloring("writing", and: "gl_FragDepth = gl_FragCoord.z * \(share) + \(more);") {
      $0.depth = $1.position.z * share + more
    }
  }

  /// The viewport's depths are 0.25 to 0.75, and the sheet is at 1.5: at 1 on the target.
  @Test(arguments: TestDevice.all, [(0, 0.875, 0.75), (0, 0.125, 0.25), (0.5, 0, 0.5)] as [(Float, Float, Double)])
  func whatFunctionsWriteIsClamped(_ test: TestDevice, _ written: (Float, Float, Double)) throws {
    let device = try test.open()
    guard device.capabilities.features.contains(.depthClamp) else {
      return expectError(.unsupported) { try color(device, written) }
    }
    #expect(try color(device, written) == .green)
  }

  private func color(_ device: Device, _ written: (Float, Float, Double)) throws -> SIMD4<UInt8>? {
    let function = Self.writing(written.0, written.1)
    return try device.deepColor(.depth32Float, clearDepth: written.2, fragment: function) { encoder in
      encoder.setViewport(Viewport(originX: 0, originY: 0, width: 3, height: 2, znear: 0.25, zfar: 0.75))
      encoder.setDepthClipMode(.clamp)
      encoder.test(device) { $0.depthCompareFunction = .equal }
      encoder.draw(.sheet(1.5, .green))
    }
  }
}
