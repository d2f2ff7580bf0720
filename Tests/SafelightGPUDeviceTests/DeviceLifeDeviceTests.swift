import FoundationEssentials
import Glibc
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Resources that a device keeps and releases. Serialized, as they count those of the process.
@Suite(.serialized) struct DeviceLifeDeviceTests {

  @Test(arguments: TestDevice.onEveryPlatform)
  func closingOneDeviceLeavesTheOther(_ test: TestDevice) throws {
    let image = SyntheticImage.noise.image(Size(9, 9), channels: .rgba, depth: .bits8)
    let first = try test.openAnother()
    let second = try test.openAnother()
    let kept = try second.makeTexture(of: image)
    let gone = try first.makeTexture(of: image)
    first.close()
    #expect(try second.contents(of: kept) == image.bytes)
    expectError(why: "it was closed") { try first.contents(of: gone) }
    // A texture is a handle whose storage is the device's: here it would be zeros.
    expectError(why: .containing("it belongs to a device '\(first.name)'")) { try second.contents(of: gone) }
    second.close()
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func devicesMayBeUsedAtOnce(_ test: TestDevice) async throws {
    let devices = try (0..<3).map { _ in try test.openAnother() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, device) in devices.enumerated() {
        group.addTask {
          for round in 0..<10 {
            let image = SyntheticImage.noise.image(Size(11 + number, 7 + round), channels: .rgba, depth: .bits8)
            let bytes = try device.contents(of: device.makeTexture(of: image))
            #expect(bytes == image.bytes)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Growth is compared with one for each device. Other tests of this process open and close files and threads
  /// meanwhile; a leak is seen every time.
  @Test(arguments: TestDevice.onEveryPlatform)
  func thirtyDevicesLeaveNoFilesAndNoThreads(_ test: TestDevice) throws {
    for other in TestDevice.onEveryPlatform { _ = try other.open() }
    let image = SyntheticImage.noise.image(Size(4, 4), channels: .rgba, depth: .bits8)
    let round = {
      let device = try test.openAnother()
      #expect(try device.contents(of: device.makeTexture(of: image)) == image.bytes)
    }
    try round()
    var growth: [(files: Int, threads: Int)] = []
    for _ in 0..<6 {
      let (files, threads) = (try entries("/proc/self/fd"), try entries("/proc/self/task"))
      for _ in 0..<30 { try round() }
      growth.append((try entries("/proc/self/fd") - files, try entries("/proc/self/task") - threads))
      if growth.contains(where: { $0.files < 15 }) && growth.contains(where: { $0.threads < 15 }) { return }
    }
    Issue.record("thirty devices left so many files and threads behind, time after time: \(growth)")
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func texturesThatAreLetGoAreFreed(_ test: TestDevice) throws {
    let device = try test.open()
    // 8 MiB each, 512 MiB in all.
    let image = Image(
      size: Size(2048, 1024), channels: .rgba, depth: .bits8, bytes: [UInt8](repeating: 1, count: 2048 * 1024 * 4))
    for _ in 0..<4 { _ = try device.makeTexture(of: image) }
    let before = try residentMegabytes()
    for _ in 0..<64 { _ = try device.makeTexture(of: image) }
    let grown = try residentMegabytes() - before
    #expect(grown < 256, "grown by \(grown) MiB")
  }

  /// The device is released on its own thread, after the last handler, so that the driver is not closed while in use.
  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func theProcessEndsBehindTheLastHandler(_ test: TestDevice) async throws {
    let file = "/tmp/safelight-\(getpid())-\(test.name)"
    defer { unlink(file) }
    await #expect(processExitsWith: .success) { [file = file as String, name = test.name as String] in
      let buffer = try TestDevice(name: name).open().makeCommandQueue().makeCommandBuffer()
      buffer.addCompletedHandler { _ in
        usleep(300_000)
        close(open(file, O_CREAT | O_WRONLY, 0o600))
      }
      buffer.commit()
      buffer.waitUntilScheduled()
    }
    #expect(access(file, F_OK) == 0)
  }

  /// The minimum within a second, as other tests of the process open files and threads briefly; a leak stays.
  private func entries(_ folder: String) throws -> Int {
    var least = Int.max
    for _ in 0..<50 {
      least = min(least, try FileManager.default.contentsOfDirectory(atPath: folder).count)
      usleep(20_000)
    }
    return least
  }

  private func residentMegabytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(fields[1])) * 4096 / (1 << 20)
  }
}
