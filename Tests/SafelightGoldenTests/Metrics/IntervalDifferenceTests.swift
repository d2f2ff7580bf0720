import Foundation
import SafelightGolden
import SafelightImage
import TestSupport
import Testing

/// A Gaussian of 13 taps, σ 2, as a float kernel would run it, and kernels that deviate from it.
@Suite struct IntervalDifferenceTests {
  private static let picture = IntegerPicture.named("hash", Size(96, 64))
  private static let weights = gaussian(deviation: 2, radius: 6)
  private static let epsilon = IntervalDifference.epsilon(weights: weights, depth: .bits8, passes: 2)
  private static let exact = blurred(weights) { $0 }

  @Test func theBoundIsThatOfItsSource() {
    #expect(abs(Self.epsilon / 2 - 255 * (15 * 0x1p-23 + 1e-5)) < 1e-12)
    #expect(Self.epsilon < 0.01)
    let sharpening = IntervalDifference.epsilon(weights: [-1, 3, -1], depth: .bits8)
    #expect(abs(sharpening - 255 * (5 * 0x1p-23 + 1e-5) * 5) < 1e-12)
  }

  @Test func singlePrecisionInAnotherOrderPasses() throws {
    let difference = try Self.compare(Self.blurred(Self.weights.map(Float.init), reversed: true) { $0 })
    #expect(difference.passes && difference.place == nil)
    #expect(difference.samples == 96 * 64 * 3)
    #expect(difference.ambiguous > 0.001 && difference.ambiguous < 0.05)
  }

  @Test(arguments: ["σ 2.001", "radius 5", "rounding down", "half precision between passes", "last row repeated"])
  func whatIsNotTheKernelFails(fault: String) throws {
    let wrong: [Double] =
      switch fault {
      case "σ 2.001": Self.blurred(Self.gaussian(deviation: 2.001, radius: 6)) { $0 }
      case "radius 5": Self.blurred(Self.gaussian(deviation: 2, radius: 5)) { $0 }
      case "rounding down": Self.exact.map { $0 - 0.5 }
      case "half precision between passes": Self.blurred(Self.weights) { Double(Float16($0)) }
      default: Self.exact.dropLast(96 * 3) + Self.exact[(62 * 96 * 3)..<(63 * 96 * 3)]
      }
    let difference = try Self.compare(wrong)
    #expect(!difference.passes && difference.outside > 0 && difference.place != nil)
    #expect(difference.outside < difference.samples)
  }

  @Test func placesAndMasks() throws {
    let image = Image(size: Size(2, 1), channels: .grayAlpha, depth: .bits8, bytes: [7, 7, 7, 255, 9, 9, 9, 200])
    let difference = try IntervalDifference(values: [7.2, 254.6, 9.495, 198.2], actual: image, epsilon: 0.01)
    #expect(difference.outside == 1 && difference.ambiguous == 0.25)
    #expect(difference.place?.description == "(1, 0) alpha: 198.2 expected before rounding, 200 found")
    let mask = ImageMask(hiding: [Region(x: 1, y: 0, width: 1, height: 1)], of: Size(2, 1))
    #expect(
      try IntervalDifference(values: [7.2, 254.6, 9.495, 198.2], actual: image, epsilon: 0.01, mask: mask).passes)
    expectError(.incomparable) { try IntervalDifference(values: [1], actual: image, epsilon: 0) }
  }

  /// Values beyond the depth are clamped; NaN has no interval.
  @Test func limitsAndNoNumbers() throws {
    let image = Image(size: Size(3, 1), channels: .gray, depth: .bits8, bytes: [0, 255, 0])
    let difference = try IntervalDifference(values: [-3.7, 300, .nan], actual: image, epsilon: 0.1)
    #expect(difference.outside == 1 && difference.place?.x == 2)
  }

  private static func compare(_ values: [Double]) throws -> IntervalDifference {
    var image = picture.image
    for (index, value) in values.enumerated() {
      let pixel = index / 3
      image[x: pixel % 96, y: pixel / 96, sample: index % 3] = Int((value + 0.5).rounded(.down))
    }
    return try IntervalDifference(values: exact, actual: image, epsilon: epsilon)
  }

  private static func gaussian(deviation: Double, radius: Int) -> [Double] {
    let taps = (-radius...radius).map { exp(-Double($0 * $0) / (2 * deviation * deviation)) }
    let sum = taps.reduce(0, +)
    return taps.map { $0 / sum }
  }

  /// Blurs along the rows and then the columns, on 0…1, with `stored` in between; the border's pixels repeat beyond it.
  /// The result is in steps, interleaved.
  private static func blurred<Number: BinaryFloatingPoint>(
    _ weights: [Number], reversed: Bool = false, _ stored: (Number) -> Number
  ) -> [Double] {
    let (width, height) = (picture.size.width, picture.size.height)
    let source = (0..<(width * height * 3)).map {
      Number(picture.value($0 / 3 % width, $0 / 3 / width, $0 % 3)) / 255
    }
    let radius = weights.count / 2
    let taps = reversed ? Array(weights.indices.reversed()) : Array(weights.indices)
    func pass(_ values: [Number], _ place: (_ x: Int, _ y: Int, _ tap: Int) -> Int) -> [Number] {
      values.indices.map { index in
        let (x, y) = (index / 3 % width, index / 3 / width)
        return taps.reduce(Number(0)) { $0 + weights[$1] * values[place(x, y, $1 - radius) * 3 + index % 3] }
      }
    }
    let across = pass(source) { x, y, tap in y * width + min(max(x + tap, 0), width - 1) }.map(stored)
    return pass(across) { x, y, tap in min(max(y + tap, 0), height - 1) * width + x }.map { Double($0) * 255 }
  }
}
