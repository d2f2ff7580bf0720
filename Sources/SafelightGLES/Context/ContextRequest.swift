internal import CEGL
package import Logging

/// Options for opening a context.
package struct ContextOptions: Sendable {
  /// Whether to request a debug context, read the error flag after every call and log every message of the driver.
  package var isDebugging: Bool
  /// The requested rank of the work among that of others.
  package var priority: DevicePriority
  /// The destination of the driver's messages.
  package var logger: Logger

  /// Makes options; `SAFELIGHT_DEBUG=1` sets `isDebugging`.
  package init(isDebugging: Bool, priority: DevicePriority = .medium, logger: Logger) {
    self.isDebugging = isDebugging
    self.priority = priority
    self.logger = logger
  }
}

/// How the GPU's scheduler ranks the work of a device among other work (EGL_IMG_context_priority).
///
/// A request: if the driver lacks the extension or denies the rank to this user, the device reports the rank that it
/// grants instead.
public enum DevicePriority: String, CaseIterable, Sendable {
  /// Below all other work, for long jobs that must not disturb anyone.
  case low
  /// The default.
  case medium
  /// Above other work; many systems grant it to privileged users only.
  case high

  /// The value of `EGL_CONTEXT_PRIORITY_LEVEL_IMG`.
  package var level: Int32 {
    switch self {
    case .low: EGL_CONTEXT_PRIORITY_LOW_IMG
    case .medium: EGL_CONTEXT_PRIORITY_MEDIUM_IMG
    case .high: EGL_CONTEXT_PRIORITY_HIGH_IMG
    }
  }

  /// Makes the rank with this EGL value; medium for unknown values.
  package init(level: Int32) { self = Self.allCases.first { $0.level == level } ?? .medium }
}

/// One set of attributes for creating a context.
///
/// All are from EGL_KHR_create_context: a GBM display of Mesa 22.3 is EGL 1.4 and rejects those of EGL 1.5.
package struct ContextRequest: Hashable {
  package var minor: Int32
  package var isRobust: Bool
  package var isDebugging: Bool
  /// The requested priority; nil requests none, which means medium.
  var priority: DevicePriority?

  package init(minor: Int32, isRobust: Bool, isDebugging: Bool, priority: DevicePriority? = nil) {
    self.minor = minor
    self.isRobust = isRobust
    self.isDebugging = isDebugging
    self.priority = priority
  }

  /// Returns the requests to try on a display with `extensions`, best first: the newest version before older ones, and
  /// with ever fewer extras.
  package static func ladder(
    extensions: Set<Substring>, isDebugging: Bool, priority: DevicePriority = .medium
  ) -> [ContextRequest] {
    // The extension lowers a priority that is denied; some drivers deny the context instead.
    let canRank = priority != .medium && extensions.contains("EGL_IMG_context_priority")
    let canBeRobust = extensions.contains("EGL_EXT_create_context_robustness")
    let canSayVersion = extensions.contains("EGL_KHR_create_context")
    var requests: [ContextRequest] = []
    for rank in canRank ? [priority, nil] : [nil] {
      for debug in isDebugging && canSayVersion ? [true, false] : [false] {
        for robust in canBeRobust ? [true, false] : [false] {
          for minor: Int32 in canSayVersion ? [2, 1] : [0] {
            requests.append(ContextRequest(minor: minor, isRobust: robust, isDebugging: debug, priority: rank))
          }
        }
      }
    }
    return requests
  }

  /// The attribute list for `eglCreateContext`. Flags that are zero are left out, as some drivers reject an empty set.
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
