import Foundation
import SafelightGolden
import SafelightImage
import Testing

/// Agreement with what other programs compute for the same pictures.
@Suite struct MetricVectorTests {
  @Test func thereAreTwenty() throws { #expect(try MetricVector.all().count == 20) }

  @Test(arguments: try MetricVector.all()) func wholeNumbers(vector: MetricVector) throws {
    let difference = try Self.difference(vector)
    #expect(difference.maximum == vector.maxAbs)
    #expect(difference.over(0) == vector.pxOver0)
    #expect(difference.over(2) == vector.pxOver2)
    #expect(abs(difference.mean - vector.meanAbs) <= 1e-9)
    #expect(abs(difference.mse - vector.mse) <= 1e-9)
    #expect(abs(difference.rmse - vector.rmse) <= 1e-9)
    #expect(abs(try #require(difference.psnr) - vector.psnr) <= 1e-9)
  }

  @Test(arguments: try MetricVector.all()) func structuralSimilarity(vector: MetricVector) throws {
    let difference = try Self.difference(vector)
    #expect(abs(try #require(difference.ssim()) - vector.ssimY601) <= 1e-7)
    let picture = IntegerPicture.named(vector.ref, Size(vector.w, vector.h))
    let colors = try (0..<3).map { channel in
      let gray = try ImageDifference(expected: picture.gray(channel), actual: picture.mutated(vector.mut).gray(channel))
      return try #require(gray.ssim())
    }
    #expect(abs(colors.reduce(0, +) / 3 - vector.ssimRGB) <= 1e-7)
    if let expected = vector.msssimY601 {
      #expect(abs(try #require(difference.msssim()) - expected) <= 1e-6)
    } else {
      #expect(difference.msssim() == nil)
    }
  }

  @Test(arguments: try MetricVector.all()) func flip(vector: MetricVector) throws {
    let flip = try Self.difference(vector).flip()
    #expect(abs(flip.mean - vector.flip64Mean) <= 1e-6)
    #expect(abs(flip.maximum - vector.flip64Max) <= 1e-5)
    #expect(abs(flip.mean - vector.flipMean) <= 1e-5)
    #expect(abs(flip.p99 - vector.flip64P99) <= 1e-5)
  }

  /// The order holds whatever the distribution: a few pixels, one value, all.
  @Test(arguments: [0, 1, 40, 41, 4096]) func flipIsOrdered(differing: Int) throws {
    let size = Size(64, 64)
    let black = Image(size: size, channels: .gray, depth: .bits8, bytes: [UInt8](repeating: 0, count: size.area))
    let other = black.replacing(bytes: (0..<size.area).map { $0 < differing ? 1 : 0 })
    let flip = try ImageDifference(expected: black, actual: other).flip()
    #expect(flip.mean <= flip.maximum && flip.p99 <= flip.maximum, "\(flip)")
    #expect((flip.maximum > 0) == (differing > 0))
  }

  private static func difference(_ vector: MetricVector) throws -> ImageDifference {
    let picture = IntegerPicture.named(vector.ref, Size(vector.w, vector.h))
    return try ImageDifference(expected: picture.image, actual: picture.mutated(vector.mut).image)
  }
}

/// The results of other programs for a picture and its mutation: a row of `fixtures/golden/metrics/vectors.json`.
struct MetricVector: Decodable, Sendable, CustomTestStringConvertible {
  let ref: String
  let mut: String
  let w: Int
  let h: Int
  let maxAbs: Int
  let pxOver0: Int
  let pxOver2: Int
  let meanAbs: Double
  let mse: Double
  let rmse: Double
  let psnr: Double
  let ssimY601: Double
  let ssimRGB: Double
  let msssimY601: Double?
  let flipMean: Double
  let flip64Mean: Double
  let flip64P99: Double
  let flip64Max: Double

  var testDescription: String { "\(ref) \(w)×\(h) \(mut)" }

  private struct File: Decodable { let vectors: [MetricVector] }

  static func all() throws -> [MetricVector] {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../fixtures/golden/metrics/vectors.json").standardized
    return try JSONDecoder().decode(File.self, from: Data(contentsOf: path)).vectors
  }
}
