internal import Glibc

/// The files and variables that a process can read about its machine; tests pass invented values.
package struct MachineReadings: Sendable {
  /// Returns the text of a file; nil if it cannot be read.
  package var text: @Sendable (_ path: String) -> String?
  /// Returns an environment variable; nil if it is not set.
  package var variable: @Sendable (_ name: String) -> String?
  /// The number of CPUs that the C library counts, which does without /proc and /sys; nil if it fails.
  package var processorCount: Int?

  package init(
    text: @escaping @Sendable (String) -> String?, variable: @escaping @Sendable (String) -> String?,
    processorCount: Int? = nil
  ) {
    self.text = text
    self.variable = variable
    self.processorCount = processorCount
  }

  package static let ofThisProcess = MachineReadings(
    text: { path in
      guard let file = unsafe fopen(path, "re") else { return nil }
      defer { unsafe fclose(file) }
      // Kernel files do not report their length.
      var bytes: [UInt8] = []
      var part = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = unsafe fread(&part, 1, part.count, file)
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += part[..<count]
      }
    },
    variable: { unsafe getenv($0).map { unsafe String(cString: $0) } },
    processorCount: Int(exactly: sysconf(Int32(_SC_NPROCESSORS_ONLN))).flatMap { $0 > 0 ? $0 : nil })
}
