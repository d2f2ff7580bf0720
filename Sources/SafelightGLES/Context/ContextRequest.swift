internal import CEGL

/// One set of attributes to try: newest version first, then with ever fewer extras.
///
/// Only attributes of EGL_KHR_create_context are used: a GBM display of Mesa 22.3 is EGL 1.4 and refuses those of EGL
/// 1.5.
package struct ContextRequest: Hashable {
  package var minor: Int32
  package var isRobust: Bool
  package var isDebugging: Bool
  /// Nil where nothing is said, which means medium.
  var priority: DevicePriority?

  package init(minor: Int32, isRobust: Bool, isDebugging: Bool, priority: DevicePriority? = nil) {
    self.minor = minor
    self.isRobust = isRobust
    self.isDebugging = isDebugging
    self.priority = priority
  }

  /// Everything worth trying on a display with `extensions`, best first.
  package static func ladder(
    extensions: Set<Substring>, isDebugging: Bool, priority: DevicePriority = .medium
  ) -> [ContextRequest] {
    let plain = ladder(extensions: extensions, isDebugging: isDebugging)
    guard priority != .medium, extensions.contains("EGL_IMG_context_priority") else { return plain }
    // The extension promises a lower rank where one is refused; some drivers refuse the context instead.
    return plain.map { request in
      var request = request
      request.priority = priority
      return request
    } + plain
  }

  private static func ladder(extensions: Set<Substring>, isDebugging: Bool) -> [ContextRequest] {
    let canBeRobust = extensions.contains("EGL_EXT_create_context_robustness")
    let canSayVersion = extensions.contains("EGL_KHR_create_context")
    var requests: [ContextRequest] = []
    for debug in isDebugging && canSayVersion ? [true, false] : [false] {
      for robust in canBeRobust ? [true, false] : [false] {
        for minor: Int32 in canSayVersion ? [2, 1] : [0] {
          requests.append(ContextRequest(minor: minor, isRobust: robust, isDebugging: debug))
        }
      }
    }
    return requests
  }

  /// The list for `eglCreateContext`. Flags are left out when zero: some drivers refuse an empty set.
  package var attributes: [Int32] {
    var list: [Int32] = [EGL_CONTEXT_CLIENT_VERSION, 3]
    if minor > 0 { list += [EGL_CONTEXT_MINOR_VERSION_KHR, minor] }
    if isDebugging { list += [EGL_CONTEXT_FLAGS_KHR, EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR] }
    if isRobust {
      list += [
        EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT, EGLint(EGL_TRUE),
        EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT, EGL_LOSE_CONTEXT_ON_RESET_EXT,
      ]
    }
    if let priority { list += [EGL_CONTEXT_PRIORITY_LEVEL_IMG, priority.level] }
    return list + [EGL_NONE]
  }
}

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
