import ArgumentParser
import Safelight

/// The whole numbers that an option takes.
struct OptionRange {
  private let name: String
  private let numbers: ClosedRange<Int>

  /// Frames decoded or encoded at a time, or threads.
  static let jobs = OptionRange(name: "--jobs", numbers: FramePipeline.Options.jobsRange)
  /// Frames on the way at a time.
  static let inFlight = OptionRange(name: "--in-flight", numbers: FramePipeline.Options.inFlightRange)
  /// Rounds of a measurement, whose times are kept.
  static let rounds = OptionRange(name: "--rounds", numbers: 1...100_000)
  /// Pixels of a picture.
  static let maxPixels = OptionRange(name: "--max-pixels", numbers: 1...Int.max)

  /// Throws where `value` is given and none of them.
  func check(_ value: Int?) throws {
    guard let value, !numbers.contains(value) else { return }
    let range =
      numbers.upperBound == .max
      ? "from \(numbers.lowerBound) on" : "from \(numbers.lowerBound) to \(numbers.upperBound)"
    throw ValidationError("\(name) \(value): a number \(range) is needed")
  }
}
