import Glibc
import SafelightGLES
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Events shared with other processes.
@Suite struct SharedEventHandleTests {
  /// Both sides map the memory separately, as two processes do.
  @Test func eachSideSeesWhatTheOtherSignals() throws {
    let here = SharedEvent(label: "here")
    here.signaledValue = 3
    let handle = try here.makeSharedEventHandle()
    let there = SharedEvent(try SharedEventHandle(fileDescriptor: handle.fileDescriptor), label: "there")
    #expect(there.signaledValue == 3)
    there.signaledValue = 5
    #expect(here.signaledValue == 5)
    here.signaledValue = 4
    #expect(there.signaledValue == 5)
    here.signaledValue = 6
    #expect(there.wait(untilSignaledValue: 6, timeout: .seconds(20)))
  }

  /// A waiter from before the handle was made is woken too.
  @Test(arguments: [false, true])
  func waitersAreWokenByTheOtherSide(_ waitsFirst: Bool) async throws {
    let here = SharedEvent(label: "here")
    let early = waitsFirst ? nil : try here.makeSharedEventHandle()
    let woken = await withCheckedContinuation { continuation in
      here.notify(atValue: 2) { _, value in continuation.resume(returning: value) }
      do {
        let handle = try early ?? here.makeSharedEventHandle()
        SharedEvent(try SharedEventHandle(fileDescriptor: handle.fileDescriptor)).signaledValue = 2
      } catch {
        Issue.record(error)
        here.signaledValue = 2
      }
    }
    #expect(woken == 2)
  }

  /// A command buffer of this process waits for one of another process, through the file of the event.
  @Test func aCommandBufferWaitsForAnotherProcess() async throws {
    let device = try Device.open(.cpu)
    let event = device.makeSharedEvent(label: "between processes")
    let handle = try event.makeSharedEventHandle()
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    buffer.encodeWaitForEvent(event, value: 41)
    buffer.encodeSignalEvent(event, value: 42)
    buffer.commit()
    let path = "/proc/\(getpid())/fd/\(handle.fileDescriptor)"
    await #expect(processExitsWith: .success) { [path = path as String] in
      let device = try Device.open(.cpu)
      let event = device.makeSharedEvent(
        handle: try SharedEventHandle(fileDescriptor: open(path, O_RDWR | O_CLOEXEC), label: "the parent's"))
      let queue = device.makeCommandQueue()
      let first = queue.makeCommandBuffer()
      first.encodeSignalEvent(event, value: 41)
      first.commit()
      let second = queue.makeCommandBuffer()
      second.encodeWaitForEvent(event, value: 42)
      try second.finish()
    }
    try buffer.waitUntilCompleted()
    #expect(event.signaledValue == 42)
  }

  @Test func aDescriptorOfSomethingElseIsRefused() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    expectError(.input) { try SharedEventHandle(fileDescriptor: -1) }
    let handle = try SharedEvent().makeSharedEventHandle()
    let readOnly = open("/proc/self/fd/\(handle.fileDescriptor)", O_RDONLY | O_CLOEXEC)
    defer { close(readOnly) }
    expectError(.input, remedy: .containing("read and written")) { try SharedEventHandle(fileDescriptor: readOnly) }
    #expect(ftruncate(handle.fileDescriptor, 0) == -1, "the memory cannot shrink")
    for descriptor in [ends[0], open("/usr/bin/env", O_RDONLY | O_CLOEXEC)] {
      #expect(throws: SafelightError.self) { try SharedEventHandle(fileDescriptor: descriptor) }
    }
    let file = try #require(tmpfile())
    defer { fclose(file) }
    try #require(ftruncate(fileno(file), 1 << 16) == 0)
    expectError(why: .containing("sealed against shrinking")) { try SharedEventHandle(fileDescriptor: fileno(file)) }
    // Sealed too, if it is the process's own memory.
    let picture = try DMABuffer(hostMemoryFor: Size(64, 64), .r8)
    expectError(.input) { try SharedEventHandle(fileDescriptor: picture.planes[0].descriptor) }
  }

  /// The listening thread ends with the event, and the memory with the last handle.
  @Test func nothingIsLeftBehind() async throws {
    weak var memory: SharedCounter?
    do {
      let event = SharedEvent()
      memory = try event.makeSharedEventHandle().counter
      #expect(!event.wait(untilSignaledValue: 1, timeout: .milliseconds(1)))
      #expect(memory != nil)
    }
    for _ in 0..<2000 where memory != nil { try await Task.sleep(for: .milliseconds(10)) }
    #expect(memory == nil)
  }
}
