internal import Glibc

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

/// The CPU time limit of the process's control group and its ancestors.
enum ControlGroup {
  /// The least CPU time that any of the groups grants, in CPUs, rounded up; nil without a limit.
  static func processors(_ readings: MachineReadings) -> Int? {
    guard let groups = readings.text("/proc/self/cgroup"), let mounts = readings.text("/proc/self/mountinfo") else {
      return nil
    }
    var limits: [Double] = []
    for line in groups.split(separator: "\n") {
      // hierarchy:controllers:path (cgroups(7)); version 2 has hierarchy 0 and no controllers.
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let isUnified = parts[0] == "0" && parts[1].isEmpty
      guard isUnified || parts[1].split(separator: ",").contains("cpu") else { continue }
      for mount in mounts.split(separator: "\n").compactMap({ Mount($0) })
      where isUnified ? mount.type == "cgroup2" : mount.type == "cgroup" && mount.options.contains("cpu") {
        let limit = isUnified ? unified : classic
        limits += mount.folders(of: String(parts[2])).compactMap { limit($0, readings) }
      }
    }
    return limits.min().map { Int($0.rounded(.up)) }
  }

  /// Reads `cpu.max` of version 2: microseconds of CPU time, or `max`, per period in microseconds.
  private static func unified(_ folder: String, _ readings: MachineReadings) -> Double? {
    let numbers = readings.text("\(folder)/cpu.max")?.split(whereSeparator: \.isWhitespace).map { Double($0) } ?? []
    guard numbers.count == 2 else { return nil }
    return processors(time: numbers[0], period: numbers[1])
  }

  /// Reads the quota and the period of version 1, where a quota of −1 means no limit.
  private static func classic(_ folder: String, _ readings: MachineReadings) -> Double? {
    func number(_ name: String) -> Double? {
      readings.text("\(folder)/\(name)")?.split(whereSeparator: \.isWhitespace).first.flatMap { Double($0) }
    }
    return processors(time: number("cpu.cfs_quota_us"), period: number("cpu.cfs_period_us"))
  }

  private static func processors(time: Double?, period: Double?) -> Double? {
    guard let time, let period, time > 0, period > 0, time / period < 1_000_000 else { return nil }
    return time / period
  }

  /// A line of /proc/self/mountinfo (proc(5)): number, parent, device, root, mount point, options, dash, type, source,
  /// super options.
  private struct Mount {
    let root: String
    let place: String
    let type: Substring
    let options: [Substring]

    init?(_ line: Substring) {
      let fields = line.split(separator: " ")
      guard let dash = fields.firstIndex(of: "-"), dash >= 6, fields.count > dash + 3 else { return nil }
      root = String(fields[3])
      place = String(fields[4])
      type = fields[dash + 1]
      options = fields[dash + 3].split(separator: ",")
    }

    /// Returns the folders of a group and its ancestors that this mount shows. In a container the mount's root is the
    /// container's group.
    func folders(of group: String) -> [String] {
      let top = root == "/" ? "" : root
      var rest = group.hasPrefix(top + "/") && !group.hasPrefix("/..") ? group.dropFirst(top.count) : ""
      while rest.last == "/" { rest.removeLast() }
      var folders = [place + rest]
      while let slash = rest.lastIndex(of: "/") {
        rest = rest[..<slash]
        folders.append(place + rest)
      }
      return folders
    }
  }
}

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
