internal import Synchronization

/// Values that are made at first use and kept. Those that functions share serve all devices: backends tell pipelines
/// apart by identity.
package final class Memo<Value: Sendable>: Sendable {
  private let values = Mutex<[AnyHashable: Value]>([:])

  package init() {}

  /// Returns the value of `key`, made at the first call.
  package func value(_ key: some Hashable & Sendable, make: () -> Value) -> Value {
    values.withLock { values in
      if let known = values[key] { return known }
      let made = make()
      values[key] = made
      return made
    }
  }
}
