/// How many CPUs this process may use, and who says so.
///
/// A server's CPUs are rarely all for one process: a container, a batch system or `taskset` leaves it some, and more threads than that
/// only wait for one another.
public struct ProcessorCount: Hashable, Sendable {
  /// CPUs that the scheduler lets the process run on (`taskset`, cpusets); nil where the system does not tell.
  public let affinity: Int?
  /// CPUs whose time its control groups grant, rounded up; nil without a limit.
  public let quota: Int?
  /// CPUs that Slurm gave to the task (`SLURM_CPUS_PER_TASK`); nil where it says nothing.
  public let slurm: Int?

  /// The least of what is known, and at least 1.
  public var value: Int { max(1, [affinity, quota, slurm].compactMap { $0 }.min() ?? 1) }

  /// What holds for this process, read once, when it is first asked for.
  public static let ofThisProcess = ProcessorCount(.ofThisProcess)

  package init(_ readings: MachineReadings) {
    affinity = Self.affinity(readings)
    quota = ControlGroup.processors(readings)
    slurm = readings.variable("SLURM_CPUS_PER_TASK").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// The CPUs allowed (proc(5), Cpus_allowed_list) as far as they are running: the list holds those too that could be plugged in.
  private static func affinity(_ readings: MachineReadings) -> Int? {
    let online = readings.text("/sys/devices/system/cpu/online").flatMap { processors($0) }
    let key = "Cpus_allowed_list:"
    let allowed = readings.text("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix(key) }
      .flatMap { processors($0.dropFirst(key.count)) }
    guard let allowed else { return online?.count }
    let both = online.map { allowed.intersection($0) } ?? allowed
    return (both.isEmpty ? allowed : both).count
  }

  /// Reads a list such as `0-3,8`.
  private static func processors(_ list: some StringProtocol) -> Set<Int>? {
    var numbers: Set<Int> = []
    for part in list.split(whereSeparator: { ", \t\n".contains($0) }) {
      let ends = part.split(separator: "-").map { Int($0) }
      // More CPUs than any kernel takes are a mistake of the reading.
      guard let first = ends.first, let first, let last = ends.last, let last, first <= last, last < 1 << 20 else {
        return nil
      }
      numbers.formUnion(first...last)
    }
    return numbers.isEmpty ? nil : numbers
  }
}
