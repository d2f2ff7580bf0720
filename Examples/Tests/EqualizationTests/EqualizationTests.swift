import GoldenTesting

@Suite(.golden(comparisons: 3), .requiresGPU()) struct EqualizationTests {
  @Test func equalization() async throws {
    let picture = try PNGFile(reading: "../fixtures/made/rgb8-ramp.png").image  // from the package's folder
    let (device, twins) = (try Device.open(.auto), try Device.open(.cpu))
    let output = try Output<GPU>(await equalized(picture, on: device), by: device)
    let expected = try Output<CPU>(await equalized(picture, on: twins), by: twins)
    try expectGolden(output)  // Goldens/equalization.png beside this file
    try expectGolden(expected, "equalization", tolerance: "exact")
    try expectConforms(output, to: expected, tolerance: "max<=0")
  }
}
