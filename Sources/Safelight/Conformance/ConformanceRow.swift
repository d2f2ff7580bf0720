public import SafelightImage

/// What conformance saw of one kernel on one picture.
public struct ConformanceRow: Sendable {
  /// The kernel's name.
  public let kernel: String
  /// How it was called.
  public let settings: String
  /// The format of the picture.
  public let format: PixelFormat
  /// Its size.
  public let size: Size
  /// Which picture.
  public let input: ConformanceInput
  /// Samples that were compared.
  public private(set) var samples = 0
  /// Samples that differ from the twin's.
  public private(set) var differing = 0
  /// The largest difference; of floats, between their bits.
  public private(set) var maximum = 0
  /// Whether a second run, over other poison, gave the same bytes.
  public internal(set) var repeats = true
  /// Whether the source and what lies around the outputs are as they were.
  public internal(set) var guards = true
  /// Why nothing could be compared: what the device or the driver said.
  public let error: String?

  init(
    _ kernel: ConformanceKernel, _ format: PixelFormat, _ size: Size, _ input: ConformanceInput,
    error: (any Error)? = nil
  ) {
    self.kernel = kernel.name
    settings = kernel.settings
    self.format = format
    self.size = size
    self.input = input
    self.error = error.map { "\($0)" }
  }

  /// Whether device and twin agree in everything.
  public var conforms: Bool { error == nil && samples > 0 && differing == 0 && repeats && guards }

  /// What is wrong, as a phrase; nil where nothing is.
  public var fault: String? {
    if conforms { return nil }
    if let error { return error }
    if samples == 0 { return "nothing was compared" }
    var faults: [String] = []
    if differing > 0 { faults.append("\(differing) of \(samples) samples differ, by up to \(maximum)") }
    if !repeats { faults.append("a second run gives other bytes, or samples are not written") }
    if !guards { faults.append("the source or memory around the output has changed") }
    return faults.joined(separator: "; ")
  }

  /// Adds what one output consists of; an output of another length differs in every sample.
  mutating func compare(_ actual: [UInt8], with expected: [UInt8], sampleBytes: Int) {
    samples += actual.count / sampleBytes
    guard actual != expected else { return }
    guard actual.count == expected.count else {
      differing += actual.count / sampleBytes
      return
    }
    for first in stride(from: 0, to: actual.count, by: sampleBytes) {
      var values = (actual: 0, expected: 0)
      for byte in (first..<first + sampleBytes).reversed() {
        values = (values.actual << 8 | Int(actual[byte]), values.expected << 8 | Int(expected[byte]))
      }
      guard values.actual != values.expected else { continue }
      differing += 1
      maximum = max(maximum, abs(values.actual - values.expected))
    }
  }
}
