import Glibc
import SafelightShaders
import Testing

/// The variable is the process's, so each test has one of its own.
@Suite struct ShaderFolderTests {
  @Test func textsAreReadFromTheFolder() async {
    await #expect(processExitsWith: .success) {
      var template = Array("/tmp/safelight-shaders-XXXXXX".utf8CString)
      let made = try #require(mkdtemp(&template))
      let folder = String(cString: made)
      mkdir("\(folder)/Copy", 0o755)
      let file = try #require(fopen("\(folder)/Copy/passthrough.glsl", "w"))
      fputs("changed\n", file)
      fclose(file)
      setenv("SAFELIGHT_SHADERS", folder, 1)
      let text = ShaderSource.passthrough.text
      let missing = ShaderSource.saturation.text
      unlink("\(folder)/Copy/passthrough.glsl")
      rmdir("\(folder)/Copy")
      rmdir(folder)
      #expect(text == "changed\n")
      // A file that cannot be read must stop the compiler, with its path.
      #expect(missing.hasPrefix("#error "))
      #expect(missing.contains("\(folder)/Color/saturation.glsl"))
    }
  }
}
