internal import Glibc

/// What a process can read of the machine it runs on. Tests make machines up.
package struct MachineReadings: Sendable {
  /// The text of a file; nil where there is none.
  var text: @Sendable (_ path: String) -> String?
  /// A variable of the environment; nil where it is not set.
  var variable: @Sendable (_ name: String) -> String?

  package init(text: @escaping @Sendable (String) -> String?, variable: @escaping @Sendable (String) -> String?) {
    self.text = text
    self.variable = variable
  }

  /// This machine, as this process sees it.
  static let ofThisProcess = MachineReadings(
    text: { path in
      guard let file = unsafe fopen(path, "re") else { return nil }
      defer { unsafe fclose(file) }
      // Files of the kernel do not say how long they are.
      var bytes: [UInt8] = []
      var part = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = unsafe fread(&part, 1, part.count, file)
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += part[..<count]
      }
    },
    variable: { unsafe getenv($0).map { unsafe String(cString: $0) } })
}
