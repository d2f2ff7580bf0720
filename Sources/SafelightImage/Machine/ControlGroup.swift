/// The limit on CPU time that control groups set: of the group that the process is in and of all above it, the least.
enum ControlGroup {
  /// CPUs whose time is granted, rounded up; nil without a limit.
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

  /// `cpu.max`: microseconds of CPU time, or `max`, in a period of so many.
  private static func unified(_ folder: String, _ readings: MachineReadings) -> Double? {
    let numbers = readings.text("\(folder)/cpu.max")?.split(whereSeparator: \.isWhitespace).map { Double($0) } ?? []
    guard numbers.count == 2 else { return nil }
    return processors(time: numbers[0], period: numbers[1])
  }

  /// The same in version 1, where −1 is no limit.
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

  /// A line of /proc/self/mountinfo (proc(5)): number, parent, device, root, place, options…, a dash, type, source, options.
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

    /// Where a group and those above it are seen, as far as this mount shows them: in a container its root is the container's group.
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
