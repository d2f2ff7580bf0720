internal import CEGL

/// How the GPU's scheduler ranks the work of a device among that of others (EGL_IMG_context_priority).
///
/// A wish: a driver may lack it or refuse it to this user, and says then what it gives instead.
public enum DevicePriority: String, CaseIterable, Sendable {
  /// After everybody else: long work that is to disturb nobody.
  case low
  /// The usual rank.
  case medium
  /// Before the others; many systems grant it to privileged users alone.
  case high

  /// The value of `EGL_CONTEXT_PRIORITY_LEVEL_IMG`.
  package var level: Int32 {
    switch self {
    case .low: EGL_CONTEXT_PRIORITY_LOW_IMG
    case .medium: EGL_CONTEXT_PRIORITY_MEDIUM_IMG
    case .high: EGL_CONTEXT_PRIORITY_HIGH_IMG
    }
  }

  /// The rank that `level` means; medium for values of no rank.
  package init(level: Int32) { self = Self.allCases.first { $0.level == level } ?? .medium }
}
