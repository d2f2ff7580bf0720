import SafelightImage
import Testing

@Suite struct ColorMatrixTests {
  /// ITU-R BT.601-7 §2.5.1, BT.709-6 §3.2 and BT.2020-2 table 4: Y = 0.299 R + 0.587 G + 0.114 B and so on.
  @Test(arguments: [
    (ColorMatrix.bt601, 0.299, 0.587, 0.114), (.bt709, 0.2126, 0.7152, 0.0722), (.bt2020, 0.2627, 0.6780, 0.0593),
  ])
  func weightsAreThoseOfTheRecommendation(_ matrix: ColorMatrix, _ red: Double, _ green: Double, _ blue: Double) throws
  {
    let weights = try #require(matrix.lumaWeights)
    #expect(weights.red == red)
    #expect(weights.blue == blue)
    #expect(abs(1 - weights.red - weights.blue - green) < 1e-9)
  }

  @Test(arguments: [ColorMatrix.unspecified, .identity, .other])
  func whereThereIsNoKnownLumaThereAreNoWeights(_ matrix: ColorMatrix) {
    #expect(matrix.lumaWeights == nil)
  }

  @Test(arguments: [
    (Size(720, 576), ColorMatrix.bt601), (Size(720, 577), .bt709), (Size(1024, 1), .bt601), (Size(1025, 1), .bt709),
  ])
  func filmsThatNameNoneAreTakenBySize(_ size: Size, _ matrix: ColorMatrix) {
    #expect(ColorMatrix.customary(for: size) == matrix)
  }
}
