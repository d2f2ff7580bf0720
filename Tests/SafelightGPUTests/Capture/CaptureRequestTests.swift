import Glibc
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// `SAFELIGHT_CAPTURE`, in processes of their own, as the variable applies to a whole process.
@Suite struct CaptureRequestTests {
  @Test func aWishThatNobodyCanGrantIsAnError() async {
    await #expect(processExitsWith: .success) {
      setenv("SAFELIGHT_CAPTURE", "/tmp/captures", 1)
      expectError(.usage, remedy: .containing("CaptureFolder.install()")) { try Device.open(.cpu) }
      setenv("SAFELIGHT_CAPTURE", "", 1)
      #expect(throws: Never.self) { try Device.open(.cpu) }
    }
  }

  @Test func whoInstalledItselfReceivesEverything() async {
    await #expect(processExitsWith: .success) {
      setenv("SAFELIGHT_CAPTURE", "/tmp/captures", 1)
      let collector = CaptureCollector()
      CaptureRequest.install(collector)
      let buffer = try Device.open(.cpu).makeCommandQueue().makeCommandBuffer(label: "b")
      try buffer.finish()
      #expect(collector.captures.map(\.label) == ["b"])
    }
  }
}
