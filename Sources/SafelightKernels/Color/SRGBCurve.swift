internal import Glibc
public import SafelightImage

/// The curve of sRGB, IEC 61966-2-1, between samples and light, both from 0 to 1.
public enum SRGBCurve {
  /// Returns the light of a sample: `x / 12.92` up to 0.04045, `((x + 0.055) / 1.055)^2.4` above.
  public static func linear(_ sample: Double) -> Double {
    sample <= 0.04045 ? sample / 12.92 : pow((sample + 0.055) / 1.055, 2.4)
  }

  /// Returns the sample of a light: `12.92 · y` up to 0.0031308, `1.055 · y^(1/2.4) − 0.055` above.
  public static func encoded(_ light: Double) -> Double {
    light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
  }
}

extension Pass {
  /// Makes linear light of 16 bits of samples of sRGB of `depth`, or such samples of it. Alpha stays.
  static func light(of picture: PassPicture, isLinear: Bool) -> Pass {
    let format = picture.pixelFormat
    return .lookUp(in: LightTable(depth: picture.image.depth, isLinear: isLinear), format, channels: 4)
  }
}

/// Linear light of 16 bits for samples of sRGB, or samples for light.
private struct LightTable: PassTable {
  /// That of the samples.
  let depth: SampleDepth
  let isLinear: Bool

  var size: Size { (isLinear ? depth : .bits16).tableSize }

  func entries() -> [UInt16] {
    let maximum = Double((1 << depth.rawValue) - 1)
    let (from, to) = isLinear ? (maximum, 65535) : (65535, maximum)
    return (0..<size.area).flatMap { value in
      let part = Double(value) / from
      let color = isLinear ? SRGBCurve.linear(part) : SRGBCurve.encoded(part)
      let entries = [color, part].map { UInt16($0 * to + 0.5) }
      return [entries[0], entries[0], entries[0], entries[1]]
    }
  }
}

/// A kernel that makes linear light of samples of sRGB. The formula is on its ``card``.
public struct ImageSRGBToLinear: ToneKernel {
  /// Makes the kernel.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "srgb-to-linear", "samples of sRGB become linear light (IEC 61966-2-1)",
    discussion: """
      A table of an entry for each value, v and the output from 0 to 1:

          light  = v / 12.92 where v <= 0.04045, else ((v + 0.055) / 1.055) ^ 2.4
          output = floor(light * maximum + 1/2)

      In 8 bits the dark steps are lost: 256 values become 183. Use 16 bits. The picture is tagged linear; one that says
      nothing is taken as sRGB, one tagged otherwise, or of limited range, is refused. Alpha stays.
      """,
    examples: ["srgb-to-linear"])

  /// Returns the linear value of an encoded one; see ``SRGBCurve/linear(_:)``.
  public func output(_ value: Double) -> Double { SRGBCurve.linear(value) }

  /// From sRGB to linear.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try color.transferred(from: .sRGB, to: .linear, by: Self.card.name)
  }
}

/// A kernel that makes samples of sRGB of linear light. The formula is on its ``card``.
public struct ImageLinearToSRGB: ToneKernel {
  /// Makes the kernel.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "linear-to-srgb", "samples of linear light become sRGB (IEC 61966-2-1)",
    discussion: """
      A table of an entry for each value, v and the output from 0 to 1:

          sRGB   = 12.92 * v where v <= 0.0031308, else 1.055 * v ^ (1 / 2.4) - 0.055
          output = floor(sRGB * maximum + 1/2)

      The picture is tagged sRGB; one that says nothing is taken as linear, one tagged otherwise, or of limited range, is
      refused. Alpha stays.
      """,
    examples: ["linear-to-srgb"])

  /// Returns the encoded value of a linear one; see ``SRGBCurve/encoded(_:)``.
  public func output(_ value: Double) -> Double { SRGBCurve.encoded(value) }

  /// From linear to sRGB.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try color.transferred(from: .linear, to: .sRGB, by: Self.card.name)
  }
}

extension ColorDescription {
  /// Returns the description after a change of the curve, with sRGB's primaries if they are unspecified.
  fileprivate func transferred(
    from: ColorTransfer, to: ColorTransfer, by filter: String
  ) throws(SafelightError) -> ColorDescription {
    guard transfer == .unspecified || transfer == from else { throw mismatch(filter, made: "transfer \(from)") }
    var color = try ofFullRange(for: filter)
    if color.primaries == .unspecified { color.primaries = .bt709 }
    color.transfer = to
    return color
  }
}
