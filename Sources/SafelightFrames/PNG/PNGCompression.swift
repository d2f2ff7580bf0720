internal import CPNGShim

/// How hard the encoder works to make a file small; the pixels are the same.
public enum PNGCompression: String, Sendable, CaseIterable {
  /// Not at all: as large as the pixels, for scratch disks.
  case store
  /// A fraction of the time of the others for a few percent more bytes.
  case fast
  /// The usual effort.
  case balanced
  /// As small as zlib can make it, however long that takes.
  case small

  /// zlib's level.
  var level: Int32 {
    switch self {
    case .store: 0
    case .fast: 1
    case .balanced: 6
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
