internal import CEGL
internal import CGLES
internal import Glibc
internal import SafelightImage

/// The entry points of one context, tied to the thread that owns it.
///
/// Not `Sendable`: the compiler keeps every GL call on the context thread, and ``checkContextThread()`` watches the
/// `deinit`s, which the compiler does not.
@safe final class GLFunctions {
  private(set) var table: safelight_gles
  private let owner = pthread_self()
  /// True when the error flag is read after every call, not once a command (`SAFELIGHT_DEBUG=1`).
  var checksEveryCall = false
  /// Why the context is lost, for good; nil while it works.
  var lossReason: String?

  init(table: safelight_gles) { self.table = table }

  private(set) lazy var uniformBufferAlignment = max(4, integer(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT))

  /// Loads what lies beyond OpenGL ES 3.1, as far as the context that is current has it.
  func loadExtensions(_ library: EGLLibrary) {
    let get = unsafe library.egl.eglGetProcAddress
    unsafe safelight_gles_load_debug(get, &table, suffix(core: 32, "KHR_debug"))
    unsafe safelight_gles_load_reset(get, &table, suffix(core: 32, "KHR_robustness", "EXT_robustness"))
    unsafe safelight_gles_load_copy_image(get, &table, suffix(core: 32, "EXT_copy_image", "OES_copy_image"))
    unsafe safelight_gles_load_independent_blending(
      get, &table, suffix(core: 32, "EXT_draw_buffers_indexed", "OES_draw_buffers_indexed"))
    unsafe safelight_gles_load_base_vertex(
      get, &table, suffix(core: 32, "EXT_draw_elements_base_vertex", "OES_draw_elements_base_vertex"))
    unsafe safelight_gles_load_multisample_arrays(
      get, &table, suffix(core: 32, "OES_texture_storage_multisample_2d_array"))
    // Never core, and the names in the table carry the suffix already.
    let listed = extensions
    unsafe safelight_gles_load_texture_view(get, &table, listed.contains("GL_EXT_texture_view") ? "" : nil)
    unsafe safelight_gles_load_buffer_storage(get, &table, listed.contains("GL_EXT_buffer_storage") ? "" : nil)
    unsafe safelight_gles_load_depth_bias_clamp(
      get, &table, listed.contains("GL_EXT_polygon_offset_clamp") ? "" : nil)
    unsafe safelight_gles_load_egl_image(get, &table, listed.contains("GL_OES_EGL_image") ? "" : nil)
    unsafe safelight_gles_load_timers(get, &table, listed.contains("GL_EXT_disjoint_timer_query") ? "" : nil)
    if unsafe table.glPushDebugGroup != nil {
      maximumLabelLength = integer(GL_MAX_LABEL_LENGTH)
      maximumGroupLength = integer(GL_MAX_DEBUG_MESSAGE_LENGTH)
    }
  }

  /// The context's version times ten, such as 31.
  private var version: Int { integer(GL_MAJOR_VERSION) * 10 + integer(GL_MINOR_VERSION) }

  /// The suffix of a group's functions: none from version `core` on, else that of the first extension that is listed; nil where
  /// the context has none of them.
  private func suffix(core: Int, _ candidates: String...) -> String? {
    if version >= core { return "" }
    let listed = extensions
    return candidates.first { listed.contains("GL_\($0)") }.map { String($0.prefix(3)) }
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

  func integer(_ name: Int32, _ index: UInt32) -> Int {
    var value: GLint = 0
    unsafe table.glGetIntegeri_v(GLenum(name), index, &value)
    return Int(value)
  }

  var isOnContextThread: Bool { pthread_equal(owner, pthread_self()) != 0 }

  func checkContextThread() {
    trap(
      unless: isOnContextThread,
      "a GL object died off its context thread; keep GL objects inside the executor")
  }
}
