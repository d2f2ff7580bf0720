internal import CPNGRows
internal import CPNGShim

/// How hard the encoder works to make a file small; the pixels are the same.
public enum PNGCompression: String, Sendable, CaseIterable {
  /// Not at all: as large as the pixels, for scratch disks.
  case store
  /// Smaller than OpenCV's files on photographs, in a third of its time, and without ISA-L in two thirds; the page PNG has the figures.
  case fast
  /// As small as PNG writers usually make files, in half their time.
  case balanced
  /// As small as a deflate encoder that tries everything makes it, however long that takes.
  case small

  /// How whole pictures are filtered and folded: the row filter, libdeflate's level, and whether ISA-L may do it instead. Nil for
  /// `balanced`, which is zlib's: told that the bytes are filtered it passes over short repetitions, and libdeflate, below level 10, makes
  /// files 2 % larger or takes longer.
  var effort: (filter: CPNGFilter, level: Int32, mayUseISAL: Bool)? {
    switch self {
    case .store: (CPNG_FILTER_NONE, 0, false)
    case .fast: (CPNG_FILTER_PAETH, 1, true)
    case .balanced: nil
    case .small: (CPNG_FILTER_ALL, 12, false)
    }
  }

  /// How libpng does it, in zlib's levels.
  var effortOfLibPNG: CPNGEffort {
    switch self {
    case .store: CPNGEffort(level: 0, filter: CPNG_FILTER_NONE)
    case .fast: CPNGEffort(level: 1, filter: CPNG_FILTER_SUB)
    case .balanced: CPNGEffort(level: 4, filter: CPNG_FILTER_PAETH)
    case .small: CPNGEffort(level: 9, filter: CPNG_FILTER_ALL)
    }
  }
}

extension CPNGForm {
  /// Pixels that share a byte gain nothing from a filter (PNG 12.7).
  func filter(_ wanted: CPNGFilter) -> CPNGFilter { bit_depth < 8 ? CPNG_FILTER_NONE : wanted }
}
