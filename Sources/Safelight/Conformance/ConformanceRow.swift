public import SafelightImage

/// The result for one kernel on one picture.
public struct ConformanceRow: Sendable {
  /// The kernel's name.
  public let kernel: String
  /// The kernel's call.
  public let settings: String
  /// The format of the picture.
  public let format: PixelFormat
  /// Its size.
  public let size: Size
  /// The picture.
  public let input: ConformanceInput
  /// The number of samples compared.
  public private(set) var samples = 0
  /// The number of samples that differ from the twin's.
  public private(set) var differing = 0
  /// The largest difference; for floats, between their bits.
  public private(set) var maximum = 0
  /// The first sample that differs, in the order of rows; nil if none does or an output has another length.
  public private(set) var firstDifference: ConformanceDifference?
  /// A phrase for where the pixels that differ lie, if all of them lie at edges or at seams between tiles.
  public private(set) var pattern: String?
  /// True if a second run, over other poison, made the same bytes.
  public internal(set) var repeats = true
  /// True if the source and the memory around the outputs are unchanged.
  public internal(set) var guards = true
  /// The error of the device or the driver if nothing could be compared.
  public let error: String?
  /// The reason for which the kernel takes such a picture on no device; nil if it does.
  public let refusal: String?

  init(
    _ kernel: ConformanceKernel, _ format: PixelFormat, _ size: Size, _ input: ConformanceInput,
    error: (any Error)? = nil, refusal: String? = nil
  ) {
    self.kernel = kernel.name
    settings = kernel.settings
    self.format = format
    self.size = size
    self.input = input
    self.refusal = refusal
    self.error = error.map { "\($0)" }
  }

  /// True if device and twin agree in everything, which nothing shows if the kernel refused the picture.
  public var conforms: Bool { error == nil && refusal == nil && samples > 0 && differing == 0 && repeats && guards }

  /// A phrase that says what is wrong; nil if nothing is, and if the kernel refused the picture.
  public var fault: String? {
    if conforms || refusal != nil { return nil }
    if let error { return error }
    if samples == 0 { return "nothing was compared" }
    var faults: [String] = []
    if differing > 0 {
      let hint = pattern.map { ", \($0)" } ?? ""
      faults.append("\(differing) of \(samples) samples differ, by up to \(maximum)\(hint)")
      if let firstDifference { faults.append("first \(firstDifference)") }
    }
    if !repeats { faults.append("a second run gives other bytes, or samples are not written") }
    if !guards { faults.append("the source or memory around the output has changed") }
    return faults.joined(separator: "; ")
  }

  /// Adds the samples of one output; an output of another length differs in every sample.
  mutating func compare(_ actual: [UInt8], with expected: [UInt8], _ layout: ConformanceLayout) {
    let sampleBytes = layout.sampleBytes
    samples += actual.count / sampleBytes
    guard actual != expected else { return }
    guard actual.count == expected.count else {
      differing += actual.count / sampleBytes
      return
    }
    func value(_ bytes: [UInt8], _ sample: Int) -> Int {
      (sample * sampleBytes..<(sample + 1) * sampleBytes).reversed().reduce(0) { $0 << 8 | Int(bytes[$1]) }
    }
    var places: [Int] = []
    for sample in 0..<actual.count / sampleBytes {
      let values = (actual: value(actual, sample), expected: value(expected, sample))
      guard values.actual != values.expected else { continue }
      if firstDifference == nil {
        firstDifference = ConformanceDifference(
          place: layout.place(of: sample), expected: layout.number(values.expected),
          actual: layout.number(values.actual))
      }
      places.append(sample)
      maximum = max(maximum, abs(values.actual - values.expected))
    }
    differing += places.count
    pattern = layout.pattern(of: places)
  }
}
