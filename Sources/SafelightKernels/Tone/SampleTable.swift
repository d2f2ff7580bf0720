public import SafelightImage

/// A table with an output for every sample value, 256 or 65536 of them.
public struct SampleTable: Hashable, Sendable {
  /// The depth of the samples.
  public let depth: SampleDepth
  /// The outputs for 0 to the maximum.
  public let outputs: [UInt16]

  /// Makes a table by calling `output` for every value from 0 to the maximum, 255 or 65535; traps if it returns
  /// another.
  public init(_ depth: SampleDepth, _ output: (_ value: Int) -> Int) {
    let values = 0..<1 << depth.rawValue
    self.depth = depth
    outputs = values.map { value in
      let made = output(value)
      trap(
        unless: values.contains(made),
        "a table of \(depth.rawValue) bits got \(made) for \(value); outputs lie from 0 to \(values.count - 1)")
      return UInt16(made)
    }
  }

  /// Quantizes `curve`, a function of 0 to 1, by `floor(clamp(curve(v / maximum), 0, 1) · maximum + 1/2)`; traps on
  /// NaN.
  ///
  /// These are the only floats of a look-up, worked out on the CPU for both backends; the page Tone says how exactly.
  public init(quantizing curve: (_ value: Double) -> Double, depth: SampleDepth) {
    let maximum = Double((1 << depth.rawValue) - 1)
    self.init(depth) { value in
      let made = curve(Double(value) / maximum)
      trap(
        unless: !made.isNaN,
        "a curve gave no number for \(value) of \(Int(maximum)); it must give one for every input from 0 to 1")
      return Int((min(max(made, 0), 1) * maximum + 0.5).rounded(.down))
    }
  }

  /// Hashes some of the outputs, since there are many.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(depth)
    for value in stride(from: 0, to: outputs.count, by: outputs.count / 64) { hasher.combine(outputs[value]) }
  }

  /// Returns the table that changes nothing.
  public static func identity(_ depth: SampleDepth) -> SampleTable { SampleTable(depth) { $0 } }

  /// Returns the table of this one's outputs looked up in `next`, which has the same depth.
  public func followed(by next: SampleTable) -> SampleTable {
    trap(
      unless: next.depth == depth,
      "a table of \(depth.rawValue) bits cannot be followed by one of \(next.depth.rawValue)")
    return SampleTable(depth) { Int(next.outputs[Int(outputs[$0])]) }
  }
}

/// The tables of a picture's channels, of one depth.
public struct ChannelTables: Hashable, Sendable {
  /// The table of red and of gray.
  public let red: SampleTable
  /// The table of green.
  public let green: SampleTable
  /// The table of blue.
  public let blue: SampleTable
  /// The table of alpha; nil if alpha stays.
  public let alpha: SampleTable?

  /// Makes tables for each channel; traps unless they have the same depth.
  public init(red: SampleTable, green: SampleTable, blue: SampleTable, alpha: SampleTable? = nil) {
    trap(
      unless: [green, blue, alpha ?? red].allSatisfy { $0.depth == red.depth },
      "tables of different depths cannot serve one picture; make all of \(red.depth.rawValue) bits")
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Makes one table serve red, green and blue.
  public init(_ table: SampleTable, alpha: SampleTable? = nil) {
    self.init(red: table, green: table, blue: table, alpha: alpha)
  }

  /// The depth of the samples.
  public var depth: SampleDepth { red.depth }
}
