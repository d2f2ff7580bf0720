import Glibc
import SafelightGLES
import SafelightImage
import Testing

@Suite struct GBMBufferTests {
  @Test(arguments: [
    (EACCES, SafelightError.Kind.unsupported, "primary node"), (ENOTTY, .unsupported, "upload pictures"),
    (EINVAL, .unsupported, "upload pictures"), (ENOMEM, .environment, "free memory"),
  ])
  func aRefusalSaysWhatToDo(_ code: Int32, _ kind: SafelightError.Kind, _ remedy: String) {
    let error = GBMBuffer.refused(Size(6, 4), .r8, "/dev/dri/renderD128", code: code)
    #expect(error.kind == kind)
    #expect(error.what == "GBM buffer of 6×4 R8 on /dev/dri/renderD128")
    #expect(error.remedy?.contains(remedy) == true)
  }

  @Test func aNodeThatDoesNotExistIsNamed() {
    let error = #expect(throws: SafelightError.self) {
      try GBMBuffer(Size(6, 4), .r8, onNode: "/dev/dri/card63")
    }
    #expect(error?.kind == .environment)
    #expect(error?.what == "/dev/dri/card63")
  }
}
