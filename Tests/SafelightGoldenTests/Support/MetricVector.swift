import Foundation
import Testing

/// What other programs say of a picture and its mutation: a row of `fixtures/golden/metrics/vectors.json`.
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
  let flip64Max: Double

  var testDescription: String { "\(ref) \(w)×\(h) \(mut)" }

  private struct File: Decodable { let vectors: [MetricVector] }

  static func all() throws -> [MetricVector] {
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../fixtures/golden/metrics/vectors.json").standardized
    return try JSONDecoder().decode(File.self, from: Data(contentsOf: path)).vectors
  }
}
