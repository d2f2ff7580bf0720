package import Logging

/// How a context is opened.
package struct ContextOptions: Sendable {
  /// Ask for a debug context, read the error flag after every call and log every message of the driver.
  package var isDebugging: Bool
  /// How its work ranks among that of others, where the driver lets us choose.
  package var priority: DevicePriority
  /// Where the driver's messages go.
  package var logger: Logger

  /// Makes options; `isDebugging` is what `SAFELIGHT_DEBUG=1` sets.
  package init(isDebugging: Bool, priority: DevicePriority = .medium, logger: Logger) {
    self.isDebugging = isDebugging
    self.priority = priority
    self.logger = logger
  }
}
