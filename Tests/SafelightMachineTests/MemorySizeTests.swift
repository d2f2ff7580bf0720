import SafelightMachine
import Synchronization
import Testing

@Suite("How much memory a process may use")
struct MemorySizeTests {
  private func size(_ files: [String: String]) -> MemorySize {
    MemorySize(MachineReadings(text: { files[$0] }, variable: { _ in nil }))
  }

  private static let machine = ["/proc/meminfo": "MemTotal:        2048 kB\nMemFree:         1024 kB\n"]
  private static let unified = machine.merging([
    "/proc/self/cgroup": "0::/slice/job\n",
    "/proc/self/mountinfo": "30 20 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n",
  ]) { $1 }

  @Test("all of the machine's where nothing limits it; unknown without /proc")
  func free() {
    #expect(size(Self.machine).value == 2_097_152)
    #expect(size([:]).value == nil)
    #expect((MemorySize.ofThisProcess.value ?? 0) > 1 << 26)
  }

  @Test("the least of what a group and those above it grant")
  func groups() {
    var files = Self.unified
    files["/sys/fs/cgroup/slice/job/memory.max"] = "max\n"
    #expect(size(files).value == 2_097_152)
    files["/sys/fs/cgroup/slice/job/memory.max"] = "1000000\n"
    #expect(size(files).group == 1_000_000)
    files["/sys/fs/cgroup/slice/memory.max"] = "500000\n"
    files["/sys/fs/cgroup/slice/memory.high"] = "400000\n"
    #expect(size(files).value == 400_000)
    files["/sys/fs/cgroup/slice/job/memory.max"] = "nonsense"
    #expect(size(files).value == 400_000)
  }

  @Test("a group may come to grant less") func shrinking() {
    let limit = Mutex("1000000")
    let size = MemorySize(
      MachineReadings(
        text: { $0 == "/sys/fs/cgroup/slice/job/memory.max" ? limit.withLock { $0 } : Self.unified[$0] },
        variable: { _ in nil }))
    #expect(size.value == 1_000_000)
    limit.withLock { $0 = "300000" }
    #expect(size.value == 300_000)
    limit.withLock { $0 = "max" }
    #expect(size.value == 2_097_152)
  }

  @Test("version 1 has a hierarchy for memory, and a number beyond all machines for no limit")
  func classic() {
    var files = Self.machine
    files["/proc/self/cgroup"] = "4:memory:/job\n2:cpu,cpuacct:/job\n0::/\n"
    files["/proc/self/mountinfo"] = "32 31 0:29 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    files["/sys/fs/cgroup/memory/job/memory.limit_in_bytes"] = "9223372036854771712\n"
    #expect(size(files).value == 2_097_152)
    files["/sys/fs/cgroup/memory/job/memory.limit_in_bytes"] = "1000000\n"
    #expect(size(files).value == 1_000_000)
  }
}
