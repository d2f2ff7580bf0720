/// The limits of the process's control group and its ancestors.
enum ControlGroup {
  /// The least CPU time that any of the groups grants, in CPUs, rounded up; nil without a limit.
  static func processors(_ readings: MachineReadings) -> Int? {
    folders("cpu", readings).compactMap { folder, isUnified in
      isUnified ? unifiedProcessors(folder, readings) : classicProcessors(folder, readings)
    }.min().map { Int($0.rounded(.up)) }
  }

  /// Returns the files with the memory that each of the groups grants, in bytes or `max`.
  static func memoryFiles(_ readings: MachineReadings) -> [String] {
    folders("memory", readings).flatMap { folder, isUnified in
      // Beyond `memory.high` the kernel slows a group down, beyond `memory.max` it ends processes.
      (isUnified ? ["memory.max", "memory.high"] : ["memory.limit_in_bytes"]).map { "\(folder)/\($0)" }
    }.filter { readings.text($0) != nil }
  }

  /// Returns the folders of the groups that control something, innermost first, and whether they are of version 2.
  private static func folders(
    _ controller: String, _ readings: MachineReadings
  ) -> [(folder: String, isUnified: Bool)] {
    guard let groups = readings.text("/proc/self/cgroup"), let mounts = readings.text("/proc/self/mountinfo") else {
      return []
    }
    var folders: [(String, Bool)] = []
    for line in groups.split(separator: "\n") {
      // hierarchy:controllers:path (cgroups(7)); version 2 has hierarchy 0 and no controllers.
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let isUnified = parts[0] == "0" && parts[1].isEmpty
      guard isUnified || parts[1].split(separator: ",").contains(controller[...]) else { continue }
      for mount in mounts.split(separator: "\n").compactMap({ Mount($0) })
      where isUnified ? mount.type == "cgroup2" : mount.type == "cgroup" && mount.options.contains(controller[...]) {
        folders += mount.folders(of: String(parts[2])).map { ($0, isUnified) }
      }
    }
    return folders
  }

  /// Reads `cpu.max` of version 2: microseconds of CPU time, or `max`, per period in microseconds.
  private static func unifiedProcessors(_ folder: String, _ readings: MachineReadings) -> Double? {
    let numbers = readings.text("\(folder)/cpu.max")?.split(whereSeparator: \.isWhitespace).map { Double($0) } ?? []
    guard numbers.count == 2 else { return nil }
    return processors(time: numbers[0], period: numbers[1])
  }

  /// Reads the quota and the period of version 1, where a quota of −1 means no limit.
  private static func classicProcessors(_ folder: String, _ readings: MachineReadings) -> Double? {
    processors(
      time: number("\(folder)/cpu.cfs_quota_us", readings), period: number("\(folder)/cpu.cfs_period_us", readings))
  }

  static func number(_ path: String, _ readings: MachineReadings) -> Double? {
    readings.text(path)?.split(whereSeparator: \.isWhitespace).first.flatMap { Double($0) }
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
