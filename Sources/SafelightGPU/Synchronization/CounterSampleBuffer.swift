internal import SafelightImage
internal import Synchronization

/// Times at points between commands; Metal's `MTLCounterSampleBuffer` of the timestamp counter.
public final class CounterSampleBuffer: Sendable {
  /// The number of samples.
  public let sampleCount: Int
  /// A name for messages.
  public let label: String

  private let samples: Mutex<[Double?]>

  init(sampleCount: Int, label: String) {
    self.sampleCount = sampleCount
    self.label = label
    samples = Mutex([Double?](repeating: nil, count: sampleCount))
  }

  /// Returns seconds on the clock of `CommandBuffer.gpuStartTime`, one for each index of `range`; nil for samples not
  /// taken, of an uncompleted command buffer, or of a disturbed clock.
  public func resolveCounterRange(_ range: Range<Int>) -> [Double?] {
    check(range)
    return samples.withLock { Array($0[range]) }
  }

  func fill(_ index: Int, _ seconds: Double?) { samples.withLock { $0[index] = seconds } }

  func check(_ range: Range<Int>) {
    trap(
      unless: range.lowerBound >= 0 && range.upperBound <= sampleCount,
      "samples \(range) lie outside counter sample buffer '\(label)' of \(sampleCount); make it larger")
  }
}
