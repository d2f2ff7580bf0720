import Glibc
import SafelightGLES
import Testing

/// One number for all entries of a device.
@Suite struct RegistryIDTests {
  /// Any device of the kernel's stands for a GPU here: `/dev/null` is 1:3 on every Linux (admin-guide/devices.txt).
  @Test func theNodesNumberComesFirst() {
    let uuid = (0..<16).map { UInt8($0) }
    let first = DeviceCandidate(index: 0, platform: .device, name: "GPU", node: "/dev/null", uuid: uuid)
    let second = DeviceCandidate(index: 3, platform: .gbm, name: "GBM", node: "/dev/null")
    #expect(first.registryID == 0x103)
    #expect(second.registryID == first.registryID)
    #expect(DeviceCandidate(index: 1, platform: .gbm, name: "GBM", node: "/dev/zero").registryID == 0x105)
  }

  @Test(arguments: [nil, "/dev/dri/no such node", "/tmp"])
  func elseTheDriversOwn(_ node: String?) {
    let uuid: [UInt8] = [0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 1, 2, 3, 4, 5, 6, 7, 8]
    let candidate = DeviceCandidate(index: 0, platform: .device, name: "GPU", node: node, uuid: uuid)
    #expect(candidate.registryID == 0x1234_5678_9abc_def0)
  }

  @Test func aSoftwareRendererWithoutANodeHasNone() {
    #expect(DeviceCandidate(index: 0, platform: .surfaceless, name: "Mesa's choice").registryID == 0)
  }
}
