import SafelightKernels
import Testing

@Suite struct LumaWeightsTests {
  static let all = [
    LumaWeights.bt601, .bt709, .bt2020, .average, LumaWeights(1, 0, 0),
    LumaWeights(0, 1, 0), LumaWeights(0, 0, 1), LumaWeights(0.5, 0, 0.5), LumaWeights(1e-9, 0, 1),
  ]

  @Test(arguments: all)
  func sumIsOne(_ weights: LumaWeights) {
    #expect(UInt64(weights.red) + UInt64(weights.green) + UInt64(weights.blue) == 65536)
  }

  @Test func knownWeights() {
    #expect(LumaWeights(0.299, 0.587, 0.114) == .bt601)
    let bt601 = LumaWeights.bt601
    #expect([bt601.red, bt601.green, bt601.blue] == [19595, 38470, 7471])
    #expect(LumaWeights(0.2126, 0.7152, 0.0722) == .bt709)
    #expect([LumaWeights.bt709.red, LumaWeights.bt709.green, LumaWeights.bt709.blue] == [13933, 46871, 4732])
    #expect(LumaWeights(0.2627, 0.6780, 0.0593) == .bt2020)
    #expect(LumaWeights(1, 1, 1) == .average)
  }

  @Test func onlyTheRatioCounts() {
    #expect(LumaWeights(299, 587, 114) == .bt601)
  }

  /// White is the sum of the weights times the largest sample: just below 2³² with the half that rounds.
  @Test(arguments: all)
  func nothingOverflows(_ weights: LumaWeights) {
    #expect(weights.luma(65535, 65535, 65535) == 65535)
    #expect(weights.luma(255, 255, 255) == 255)
    #expect(weights.luma(0, 0, 0) == 0)
  }

  @Test(arguments: all)
  func lumaIsTheRoundedMean(_ weights: LumaWeights) {
    for color in [[65535, 0, 0], [0, 65535, 0], [0, 0, 65535], [1, 2, 3], [65534, 65535, 1], [12345, 54321, 999]] {
      let sum = Int(weights.red) * color[0] + Int(weights.green) * color[1] + Int(weights.blue) * color[2]
      #expect(Int(weights.luma(UInt32(color[0]), UInt32(color[1]), UInt32(color[2]))) == (sum + 32768) / 65536)
    }
  }

  @Test func grayStaysGray() {
    for weights in Self.all {
      #expect((0...65535).first { weights.luma($0, $0, $0) != $0 } == nil)
    }
  }
}
