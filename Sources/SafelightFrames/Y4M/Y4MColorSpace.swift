package import SafelightImage

/// The chroma of a Y4M stream, as its header names it: `420jpeg`, `444p12`, `mono16` (yuv4mpeg(5), and what ffmpeg adds to it).
package struct Y4MColorSpace: Hashable {
  /// Behind `C`.
  package let name: String
  package let layout: PixelLayout
  package let siting: ChromaSiting
  /// Bits in a sample as stored.
  let bits: Int

  /// Those that have a layout of planes.
  private static let known: [Y4MColorSpace] = [
    Y4MColorSpace("420jpeg", .yCbCr420Planar8, .center), Y4MColorSpace("420mpeg2", .yCbCr420Planar8, .left),
    Y4MColorSpace("420paldv", .yCbCr420Planar8, .topLeft), Y4MColorSpace("420", .yCbCr420Planar8),
    Y4MColorSpace("422", .yCbCr422Planar8), Y4MColorSpace("444", .yCbCr444Planar8),
    Y4MColorSpace("420p10", .yCbCr420Planar10), Y4MColorSpace("422p10", .yCbCr422Planar10),
    Y4MColorSpace("444p10", .yCbCr444Planar10), Y4MColorSpace("420p12", .yCbCr420Planar12),
    Y4MColorSpace("422p12", .yCbCr422Planar12), Y4MColorSpace("444p12", .yCbCr444Planar12),
    Y4MColorSpace("420p16", .yCbCr420Planar16), Y4MColorSpace("422p16", .yCbCr422Planar16),
    Y4MColorSpace("444p16", .yCbCr444Planar16), Y4MColorSpace("mono", .gray8), Y4MColorSpace("mono16", .gray16),
    Y4MColorSpace("mono9", .gray16, bits: 9), Y4MColorSpace("mono10", .gray16, bits: 10),
    Y4MColorSpace("mono12", .gray16, bits: 12), Y4MColorSpace("mono14", .gray16, bits: 14),
  ]

  private init(_ name: String, _ layout: PixelLayout, _ siting: ChromaSiting = .unspecified, bits: Int? = nil) {
    self.name = name
    self.layout = layout
    self.siting = siting
    self.bits = bits ?? layout.bits
  }

  /// The one that a header names; nil where it is unknown, or has no layout.
  init?(named name: String) {
    guard let found = Self.known.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  /// The one for frames of `layout`; nil where Y4M has none. Grey of 16 bits may be stored in fewer.
  ///
  /// The siting decides among those of 8 bits in 4:2:0 alone: Y4M has no other place for it.
  init?(_ layout: PixelLayout, siting: ChromaSiting, grayBits: Int?) {
    let bits = layout == .gray16 ? grayBits ?? 16 : layout.bits
    let fitting = Self.known.filter { $0.layout == layout && $0.bits == bits }
    guard let found = fitting.first(where: { $0.siting == siting }) ?? fitting.last else { return nil }
    self = found
  }

  /// Names for messages.
  static var names: String { known.map(\.name).joined(separator: ", ") }
}
