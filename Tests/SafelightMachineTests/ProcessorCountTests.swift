import SafelightMachine
import Testing

@Suite("How many CPUs a process may use")
struct ProcessorCountTests {
  private func count(_ files: [String: String], slurm: String? = nil) -> ProcessorCount {
    ProcessorCount(MachineReadings(text: { files[$0] }, variable: { $0 == "SLURM_CPUS_PER_TASK" ? slurm : nil }))
  }

  private static let sixteen = ["/sys/devices/system/cpu/online": "0-15\n"]
  private static let unified = sixteen.merging([
    "/proc/self/cgroup": "0::/slice/job\n",
    "/proc/self/mountinfo": "30 20 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n",
  ]) { $1 }

  @Test("all CPUs that run, where nothing limits them; one, where nothing is known")
  func free() {
    #expect(count(Self.sixteen).value == 16)
    #expect(count([:]).value == 1)
    #expect(ProcessorCount(MachineReadings(text: { _ in nil }, variable: { _ in nil }, processorCount: 3)).value == 3)
    #expect(ProcessorCount.ofThisProcess.value >= 1)
    #expect(ProcessorCount.ofThisProcess.affinity != nil)
  }

  @Test(arguments: [
    ("0-1", 2), ("3", 1), ("0,2-4,15", 5), ("0-127", 16), ("14-17", 2), ("20-22", 3), ("nonsense", 16), ("", 16),
  ])
  func theSchedulersListIsOfCPUsThatRun(_ list: String, _ expected: Int) {
    let status = "Name:\tsafelight\nCpus_allowed:\tffff\nCpus_allowed_list:\t\(list)\nMems_allowed:\t1\n"
    #expect(count(Self.sixteen.merging(["/proc/self/status": status]) { $1 }).value == expected)
  }

  @Test(arguments: [
    ("max 100000", 16), ("150000 100000", 2), ("200000 100000", 2), ("10000 100000", 1), ("6400000 100000", 16),
    ("nonsense", 16), ("", 16),
  ])
  func theTimeThatVersion2GrantsIsRoundedUp(_ text: String, _ expected: Int) {
    #expect(count(Self.unified.merging(["/sys/fs/cgroup/slice/job/cpu.max": text + "\n"]) { $1 }).value == expected)
  }

  @Test("a group above the process's own may grant less")
  func nestedQuota() {
    var files = Self.unified
    files["/sys/fs/cgroup/slice/job/cpu.max"] = "800000 100000\n"
    files["/sys/fs/cgroup/slice/cpu.max"] = "300000 100000\n"
    #expect(count(files).quota == 3)
    files["/sys/fs/cgroup/slice/cpu.max"] = "max 100000\n"
    #expect(count(files).quota == 8)
  }

  @Test("a container sees its own group as the root, under the path that the host gives it or under none")
  func container() {
    var files = Self.sixteen
    files["/proc/self/mountinfo"] = "30 20 0:26 /docker/1f /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
    files["/sys/fs/cgroup/cpu.max"] = "400000 100000\n"
    for path in ["/docker/1f", "/", "/../..", "/docker/1fe"] {
      files["/proc/self/cgroup"] = "0::\(path)\n"
      #expect(count(files).quota == 4, "\(path)")
    }
    files["/proc/self/cgroup"] = "0::/docker/1f/inner\n"
    files["/sys/fs/cgroup/inner/cpu.max"] = "200000 100000\n"
    #expect(count(files).quota == 2)
  }

  @Test("version 1 has a hierarchy for the CPU, and −1 for no limit", arguments: [("-1", nil), ("250000", 3)])
  func classicQuota(_ time: String, _ expected: Int?) {
    var files = Self.sixteen
    files["/proc/self/cgroup"] = "4:memory:/job\n3:cpuset:/job\n2:cpu,cpuacct:/job\n0::/\n"
    files["/proc/self/mountinfo"] = """
      31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw
      32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
      33 31 0:30 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset
      """
    files["/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us"] = time + "\n"
    files["/sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us"] = "100000\n"
    #expect(count(files).quota == expected)
  }

  @Test("what Slurm gave to the task", arguments: [("4", 4), ("64", 16), ("0", 16), ("", 16), ("four", 16)])
  func slurm(_ text: String, _ expected: Int) { #expect(count(Self.sixteen, slurm: text).value == expected) }
}
