internal import Glibc

/// What a process can read of the machine it runs on. Tests make machines up.
struct MachineReadings: Sendable {
  /// The text of a file; nil where there is none.
  var text: @Sendable (_ path: String) -> String?
  /// A variable of the environment; nil where it is not set.
  var variable: @Sendable (_ name: String) -> String?

  /// This machine, as this process sees it.
  static let ofThisProcess = MachineReadings(
    text: { path in
      guard let file = fopen(path, "re") else { return nil }
      defer { fclose(file) }
      // Files of the kernel do not say how long they are.
      var bytes: [UInt8] = []
      var part = [UInt8](repeating: 0, count: 4096)
      while true {
        let count = fread(&part, 1, part.count, file)
        if count == 0 { return String(decoding: bytes, as: UTF8.self) }
        bytes += part[..<count]
      }
    },
    variable: { getenv($0).map { String(cString: $0) } })
}
