internal import SafelightGPU

/// How counts are gathered on a GPU; all forms give the same counts.
public enum HistogramForm: String, Sendable, CaseIterable {
  /// `private` on software renderers, `shared` on GPUs where the counts fit into 16 KiB, else `global`.
  case automatic
  /// Each lane counts for itself; 256 entries.
  case `private`
  /// A threadgroup counts together in its memory; counts of all planes must fit into 16 KiB.
  case shared
  /// Straight into the result.
  case global

  /// The form that runs; ``automatic`` resolved, and forms that cannot hold the counts replaced by ``global``.
  func resolved(planes: Int, entries: Int, device: Device) -> HistogramForm {
    let fits = planes * entries * 4 <= 16384
    switch self {
    case .automatic:
      if device.info.isSoftware && entries == 256 && !device.info.miscountsInOwnArrays { return .private }
      return fits ? .shared : .global
    case .private: return entries == 256 && !device.info.miscountsInOwnArrays ? .private : .global
    case .shared: return fits ? .shared : .global
    case .global: return .global
    }
  }
}
