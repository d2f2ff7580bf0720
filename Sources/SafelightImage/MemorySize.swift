/// The memory that this process may use, by each source that limits it.
public struct MemorySize: Hashable, Sendable {
  /// The bytes of the machine's memory; nil if the system does not report them.
  public let machine: Int?
  /// The bytes that the process's control groups grant; nil without a limit.
  public let group: Int?

  /// The smallest known limit; nil if none is known.
  public var value: Int? { [machine, group].compactMap { $0 }.min() }

  /// The limits of this process, read anew: those of groups change while it runs.
  public static var ofThisProcess: MemorySize { MemorySize(.ofThisProcess) }

  package init(_ readings: MachineReadings) {
    // proc_meminfo(5): `MemTotal:       24660276 kB`, in units of 1024 bytes.
    let total = readings.text("/proc/meminfo")?.split(separator: "\n").first { $0.hasPrefix("MemTotal:") }
    machine = total?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    group = ControlGroup.memory(readings)
  }
}
