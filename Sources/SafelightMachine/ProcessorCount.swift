/// The number of CPUs that this process may use, by each source that limits it.
///
/// A container, a batch system or `taskset` often grants a process only some of a server's CPUs; more threads than that
/// only wait for each other.
public struct ProcessorCount: Hashable, Sendable {
  /// The number of CPUs that the scheduler lets the process run on (`taskset`, cpusets); nil if the system does not
  /// report it.
  public let affinity: Int?
  /// The CPU time that the process's control groups grant, in CPUs, rounded up; nil without a limit.
  public let quota: Int?
  /// The number of CPUs that Slurm gave to the task (`SLURM_CPUS_PER_TASK`); nil if the variable is unset or invalid.
  public let slurm: Int?

  /// The smallest known limit, and at least 1.
  public var value: Int { max(1, [affinity, quota, slurm].compactMap { $0 }.min() ?? 1) }

  /// The limits of this process, read once, at the first access.
  public static let ofThisProcess = ProcessorCount(.ofThisProcess)

  package init(_ readings: MachineReadings) {
    affinity = Self.affinity(readings)
    quota = ControlGroup.processors(readings)
    slurm = readings.variable("SLURM_CPUS_PER_TASK").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Counts the allowed CPUs (proc(5), Cpus_allowed_list) that are online: the list also names CPUs that could be
  /// plugged in.
  private static func affinity(_ readings: MachineReadings) -> Int? {
    let online = readings.text("/sys/devices/system/cpu/online").flatMap { processors($0) }
    let key = "Cpus_allowed_list:"
    let allowed = readings.text("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix(key) }
      .flatMap { processors($0.dropFirst(key.count)) }
    guard let allowed else { return online?.count ?? readings.processorCount }
    let both = online.map { allowed.intersection($0) } ?? allowed
    return (both.isEmpty ? allowed : both).count
  }

  /// Parses a list such as `0-3,8`; nil if it is invalid.
  private static func processors(_ list: some StringProtocol) -> Set<Int>? {
    var numbers: Set<Int> = []
    for part in list.split(whereSeparator: { ", \t\n".contains($0) }) {
      let ends = part.split(separator: "-").map { Int($0) }
      // No kernel supports more CPUs than this, so larger numbers are misread.
      guard let first = ends.first, let first, let last = ends.last, let last, first <= last, last < 1 << 20 else {
        return nil
      }
      numbers.formUnion(first...last)
    }
    return numbers.isEmpty ? nil : numbers
  }
}
