import SafelightKernels
import Testing

@Suite struct ColorVectorsTests {
  private static func rows(_ vectors: ColorVectors) -> [SIMD3<Double>] { [vectors.red, vectors.green, vectors.blue] }

  private static func isNear(_ one: SIMD3<Double>, _ other: SIMD3<Double>, _ distance: Double = 1e-12) -> Bool {
    (0..<3).allSatisfy { abs(one[$0] - other[$0]) < distance }
  }

  @Test(arguments: [LumaWeights.bt601, .bt709, .bt2020, .average], [-140.0, 0, 33, 90, 180])
  func aTurnedHueKeepsLumaAndGrays(_ weights: LumaWeights, _ angle: Double) {
    let vectors = ColorVectors(hueTurnedBy: angle, weights: weights)
    let w = weights.shares
    #expect(Self.isNear(w.x * vectors.red + w.y * vectors.green + w.z * vectors.blue, w))
    for row in Self.rows(vectors) { #expect(abs(row.sum() - 1) < 1e-12) }
  }

  @Test func aThirdOfATurnMakesGreenOfRed() {
    // Weights of a third each are quantized, so not to the last digit.
    let rows = Self.rows(ColorVectors(hueTurnedBy: 120, weights: .average))
    for (row, expected) in zip(rows, [SIMD3(0, 0, 1.0), SIMD3(1, 0, 0), SIMD3(0, 1, 0)]) {
      #expect(Self.isNear(row, expected, 1e-4))
    }
  }

  @Test func rowsKeepTheirSum() {
    let quantized = ImageColorMatrix.Uniforms(
      ColorVectors(red: SIMD3(1, 1, 1) / 3, green: SIMD3(0.4, 0.35, 0.25), blue: SIMD3(-1.1, 2.3, -0.2)), maximum: 255)
    for row in [quantized.red, quantized.green, quantized.blue] { #expect(row.x + row.y + row.z == 65536) }
  }

  /// The neutral light changes nothing; others keep the luma of grays and stay inside the matrix's limits.
  @Test func whiteBalanceKeepsLuma() {
    let neutral = ColorVectors(temperature: ColorVectors.neutralTemperature)
    for (row, expected) in zip(Self.rows(neutral), Self.rows(.identity)) { #expect(Self.isNear(row, expected)) }
    for temperature in [2000.0, 3200, 5000, 9000, 15000] {
      for tint in [-100.0, -10, 0, 35, 100] {
        let gains = Self.rows(ColorVectors(temperature: temperature, tint: tint)).map { $0.sum() }
        let luma = zip(gains, [LumaWeights.bt709.shares.x, LumaWeights.bt709.shares.y, LumaWeights.bt709.shares.z])
        #expect(abs(luma.reduce(0) { $0 + $1.0 * $1.1 } - 1) < 1e-12)
        #expect(gains.allSatisfy { 0 < $0 && $0 < 8 }, "\(temperature) K, tint \(tint): \(gains)")
      }
    }
  }

  /// Gains worked out by hand from the published formulas.
  @Test(arguments: [
    (3200.0, 0.0, SIMD3(0.7664, 1.0077, 1.6120)), (10000, 0, SIMD3(1.0809, 0.9900, 0.8604)),
    (15000, 0, SIMD3(1.1253, 0.9842, 0.7875)),
  ])
  func whiteBalanceIsKrysteks(_ temperature: Double, _ tint: Double, _ gains: SIMD3<Double>) {
    let vectors = ColorVectors(temperature: temperature, tint: tint)
    #expect(Self.isNear(SIMD3(vectors.red.x, vectors.green.y, vectors.blue.z), gains, 2e-4))
  }

  @Test func aGreenishLightMakesMagenta() {
    let vectors = ColorVectors(temperature: 6504, tint: 50)
    #expect(vectors.green.y < 1 && vectors.red.x > 1 && vectors.blue.z > 1)
  }
}

@Suite struct LumaWeightsTests {
  @Test func knownWeights() {
    #expect(LumaWeights(0.299, 0.587, 0.114) == .bt601)
    let bt601 = LumaWeights.bt601
    #expect([bt601.red, bt601.green, bt601.blue] == [19595, 38470, 7471])
    #expect(LumaWeights(0.2126, 0.7152, 0.0722) == .bt709)
    #expect([LumaWeights.bt709.red, LumaWeights.bt709.green, LumaWeights.bt709.blue] == [13933, 46871, 4732])
    #expect(LumaWeights(0.2627, 0.6780, 0.0593) == .bt2020)
    #expect(LumaWeights(1, 1, 1) == .average)
  }

  /// So the sum is 1, and that of white, just below 2³² with the half that rounds, does not overflow.
  @Test(arguments: [
    LumaWeights.bt601, .bt709, .bt2020, .average, LumaWeights(1, 0, 0), LumaWeights(0, 1, 0), LumaWeights(0, 0, 1),
    LumaWeights(0.5, 0, 0.5), LumaWeights(1e-9, 0, 1),
  ])
  func grayStaysGray(_ weights: LumaWeights) {
    #expect((0...65535).first { weights.luma($0, $0, $0) != $0 } == nil)
  }
}
