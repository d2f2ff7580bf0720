public import SafelightImage

/// The curve of IEC 61966-2-1, both ways, for ``ImageLookup``. Tables are quantised as ``init(quantizing:depth:)`` says.
extension SampleTable {
  /// From sRGB to light: `v / 12.92` up to 0.04045, above `((v + 0.055) / 1.055) ^ 2.4`.
  ///
  /// In 8 bits the 256 values become 183: dark steps are lost. Use 16.
  public static func linearOfSRGB(_ depth: SampleDepth) -> SampleTable {
    SampleTable(quantizing: SRGBCurve.linear, depth: depth)
  }

  /// From light to sRGB: `12.92 · v` up to 0.0031308, above `1.055 · v ^ (1 / 2.4) − 0.055`.
  public static func sRGBOfLinear(_ depth: SampleDepth) -> SampleTable {
    SampleTable(quantizing: SRGBCurve.encoded, depth: depth)
  }
}
