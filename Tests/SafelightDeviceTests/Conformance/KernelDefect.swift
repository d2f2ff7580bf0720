import Safelight
import SafelightKernels

extension KernelDefect {
  /// Those of the cards, and of what has none yet; what all point kernels share is planted by ``general``.
  static let all =
    FilterCatalogue.entries.flatMap(\.defects)
    + histogram + normalizedHistogram + match + renderer
}
