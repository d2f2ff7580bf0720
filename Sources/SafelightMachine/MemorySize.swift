/// The memory that this process may use, by each source that limits it.
package struct MemorySize: Sendable {
  /// The bytes of the machine's memory; nil if the system does not report them.
  package let machine: Int?
  private let files: [String]
  private let readings: MachineReadings

  /// The bytes that the process's control groups grant at this moment; nil without a limit.
  package var group: Int? {
    files.compactMap { ControlGroup.number($0, readings).flatMap { Int(exactly: $0) } }.min()
  }

  /// The smallest known limit at this moment; nil if none is known.
  package var value: Int? { [machine, group].compactMap { $0 }.min() }

  /// The limits of this process; its groups are found once, at the first access.
  package static let ofThisProcess = MemorySize(.ofThisProcess)

  package init(_ readings: MachineReadings) {
    // proc_meminfo(5): `MemTotal:       24660276 kB`, in units of 1024 bytes.
    let total = readings.text("/proc/meminfo")?.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
    machine = total?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    files = ControlGroup.memoryFiles(readings)
    self.readings = readings
  }
}
