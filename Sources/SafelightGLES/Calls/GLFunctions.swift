internal import CEGL
internal import CGLES
internal import Glibc

/// The entry points of one context, tied to the thread that owns it.
///
/// Not `Sendable`: the compiler keeps every GL call on the context thread, and ``assertOnContextThread()`` watches the
/// `deinit`s, which the compiler does not.
@safe final class GLFunctions {
  private(set) var table: safelight_gles
  private let owner = pthread_self()
  /// True when the error flag is read after every call, not once a command (`SAFELIGHT_DEBUG=1`).
  var checksEveryCall = false

  init(table: safelight_gles) { self.table = table }

  /// Loads what lies beyond OpenGL ES 3.1, as far as the context that is current has it.
  func loadExtensions(_ library: EGLLibrary) {
    let isES32 = integer(GL_MAJOR_VERSION) * 10 + integer(GL_MINOR_VERSION) >= 32
    let names = extensions
    let debug: String? = isES32 ? "" : names.contains("GL_KHR_debug") ? "KHR" : nil
    let reset: String? =
      isES32 ? "" : names.contains("GL_KHR_robustness") ? "KHR" : names.contains("GL_EXT_robustness") ? "EXT" : nil
    unsafe safelight_gles_load_extensions(library.egl.eglGetProcAddress, &table, debug, reset)
    if unsafe table.glPushDebugGroup != nil {
      maximumLabelLength = integer(GL_MAX_LABEL_LENGTH)
      maximumGroupLength = integer(GL_MAX_DEBUG_MESSAGE_LENGTH)
    }
  }

  /// Bytes that a label takes with its final zero, and a group's name; 0 where there are none.
  private(set) var maximumLabelLength = 0
  private(set) var maximumGroupLength = 0

  /// One number of the context's state.
  func integer(_ name: Int32) -> Int {
    var value: GLint = 0
    unsafe table.glGetIntegerv(GLenum(name), &value)
    return Int(value)
  }

  func assertOnContextThread() {
    assert(
      pthread_equal(owner, pthread_self()) != 0,
      "a GL object died off its context thread; keep GL objects inside the executor")
  }
}
