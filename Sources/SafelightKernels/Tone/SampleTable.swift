public import SafelightImage

/// One output for every value that a sample can have: 256 or 65536 of them.
public struct SampleTable: Hashable, Sendable {
  /// The bits of the samples it is for.
  public let depth: SampleDepth
  /// The outputs, from that of 0 to that of the maximum.
  public let outputs: [UInt16]

  /// Asks `output` for every value from 0 to the maximum, 255 or 65535; what it returns must lie there too.
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

  /// Quantizes `curve`, a function of 0 to 1, by `floor(clamp(curve(v / maximum), 0, 1) · maximum + 1/2)`.
  ///
  /// Outputs outside 0 to 1 are clamped; one that is no number is a mistake of the curve.
  ///
  /// The only floats of a look-up are these, worked out on the CPU for both backends. Sums, products, quotients and roots are the same on
  /// every machine by IEEE 754; powers of a C library may differ in the last of 53 bits, and a table needs 16 of them: it would show
  /// where an output lies within 10⁻¹¹ of the middle between two samples.
  public init(quantizing curve: (_ value: Double) -> Double, depth: SampleDepth) {
    let maximum = Double((1 << depth.rawValue) - 1)
    self.init(depth) { value in
      let made = curve(Double(value) / maximum)
      trap(unless: !made.isNaN, "a curve has no output for \(value) of \(Int(maximum)); give it one for all of 0 to 1")
      return Int((min(max(made, 0), 1) * maximum + 0.5).rounded(.down))
    }
  }

  /// The table that leaves every value as it is.
  public static func identity(_ depth: SampleDepth) -> SampleTable { SampleTable(depth) { $0 } }

  /// The table of this one's outputs looked up in `next`, of the same depth.
  public func followed(by next: SampleTable) -> SampleTable {
    trap(
      unless: next.depth == depth,
      "a table of \(depth.rawValue) bits cannot be followed by one of \(next.depth.rawValue)")
    return SampleTable(depth) { Int(next.outputs[Int(outputs[$0])]) }
  }
}

/// The tables of a picture's channels, all of one depth.
public struct ChannelTables: Hashable, Sendable {
  /// Red's, and that of gray pictures.
  public let red: SampleTable
  /// Green's.
  public let green: SampleTable
  /// Blue's.
  public let blue: SampleTable
  /// Alpha's; nil where alpha stays.
  public let alpha: SampleTable?

  /// A table a channel.
  public init(red: SampleTable, green: SampleTable, blue: SampleTable, alpha: SampleTable? = nil) {
    trap(
      unless: [green, blue, alpha ?? red].allSatisfy { $0.depth == red.depth },
      "tables of different depths cannot serve one picture; make all of \(red.depth.rawValue) bits")
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// One table for red, green and blue.
  public init(_ table: SampleTable, alpha: SampleTable? = nil) {
    self.init(red: table, green: table, blue: table, alpha: alpha)
  }

  /// The bits of the samples they are for.
  public var depth: SampleDepth { red.depth }
}
