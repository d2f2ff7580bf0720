internal import CEGL
internal import CGLES
internal import Glibc
internal import SafelightImage

/// The entry points of one context, bound to the thread that owns it.
///
/// Not `Sendable`: the compiler keeps all calls on the context thread, except in `deinit`s, which ``GLName`` checks.
@safe final class GLFunctions {
  private(set) var table: safelight_gles
  private let owner = pthread_self()
  /// True if the error flag is read after every call (`SAFELIGHT_DEBUG=1`) rather than once per command.
  var checksEveryCall = false
  /// Why the context is permanently lost; nil while it works.
  var lossReason: String?

  init(table: safelight_gles) { self.table = table }

  /// Loads the functions beyond OpenGL ES 3.1 that the current context has.
  func loadExtensions(_ library: EGLLibrary) {
    let get = unsafe library.egl.eglGetProcAddress
    let version = integer(GL_MAJOR_VERSION) * 10 + integer(GL_MINOR_VERSION)
    let listed = extensions
    /// Returns the suffix of a group's functions: empty from version 3.2 on, else that of the first listed extension;
    /// nil if the context has none of them.
    func suffix(_ names: String...) -> String? {
      version >= 32 ? "" : names.first { listed.contains("GL_\($0)") }.map { String($0.prefix(3)) }
    }
    unsafe safelight_gles_load_debug(get, &table, suffix("KHR_debug"))
    unsafe safelight_gles_load_reset(get, &table, suffix("KHR_robustness", "EXT_robustness"))
    unsafe safelight_gles_load_copy_image(get, &table, suffix("EXT_copy_image", "OES_copy_image"))
    unsafe safelight_gles_load_independent_blending(
      get, &table, suffix("EXT_draw_buffers_indexed", "OES_draw_buffers_indexed"))
    unsafe safelight_gles_load_base_vertex(
      get, &table, suffix("EXT_draw_elements_base_vertex", "OES_draw_elements_base_vertex"))
    unsafe safelight_gles_load_multisample_arrays(get, &table, suffix("OES_texture_storage_multisample_2d_array"))
    // These extensions are in no core version, and the table names their functions with the suffix.
    func present(_ name: String) -> String? { listed.contains(name) ? "" : nil }
    unsafe safelight_gles_load_texture_view(get, &table, present("GL_EXT_texture_view"))
    unsafe safelight_gles_load_buffer_storage(get, &table, present("GL_EXT_buffer_storage"))
    unsafe safelight_gles_load_depth_bias_clamp(get, &table, present("GL_EXT_polygon_offset_clamp"))
    unsafe safelight_gles_load_egl_image(get, &table, present("GL_OES_EGL_image"))
    unsafe safelight_gles_load_timers(get, &table, present("GL_EXT_disjoint_timer_query"))
    if unsafe table.glPushDebugGroup != nil {
      maximumLabelLength = integer(GL_MAX_LABEL_LENGTH)
      maximumGroupLength = integer(GL_MAX_DEBUG_MESSAGE_LENGTH)
    }
  }

  /// The largest label and group name in bytes, including the final zero; 0 without KHR_debug.
  private(set) var maximumLabelLength = 0
  private(set) var maximumGroupLength = 0

  /// Returns an integer of the context's state.
  func integer(_ name: Int32) -> Int { unsafe query { unsafe $0.glGetIntegerv(GLenum(name), $1) } }

  func integer(_ name: Int32, _ index: UInt32) -> Int {
    unsafe query { unsafe $0.glGetIntegeri_v(GLenum(name), index, $1) }
  }

  /// Returns the integer that `body` writes; 0 if it writes none.
  func query(_ body: (borrowing safelight_gles, UnsafeMutablePointer<GLint>) -> Void) -> Int {
    var value: GLint = 0
    unsafe body(table, &value)
    return Int(value)
  }

  /// Returns a text of the context's state, such as `GL_RENDERER`.
  func string(_ name: Int32) -> String {
    guard let text = unsafe table.glGetString(GLenum(name)) else { return "" }
    return unsafe String(cString: text)
  }

  /// The extensions of the context (`GL_EXTENSIONS`).
  var extensions: Set<String> {
    let names = (0..<GLuint(max(0, integer(GL_NUM_EXTENSIONS)))).compactMap { index in
      unsafe table.glGetStringi(GLenum(GL_EXTENSIONS), index).map { unsafe String(cString: $0) }
    }
    return Set(names)
  }

  /// Sets the state that every pass relies on: no dithering, blending or tests, and rows without padding.
  func setInitialState() {
    for feature in [GL_DITHER, GL_BLEND, GL_SCISSOR_TEST, GL_DEPTH_TEST, GL_STENCIL_TEST, GL_CULL_FACE] {
      table.glDisable(GLenum(feature))
    }
    table.glColorMask(GLboolean(GL_TRUE), GLboolean(GL_TRUE), GLboolean(GL_TRUE), GLboolean(GL_TRUE))
    table.glPixelStorei(GLenum(GL_UNPACK_ALIGNMENT), 1)
    table.glPixelStorei(GLenum(GL_PACK_ALIGNMENT), 1)
  }

  var isOnContextThread: Bool { pthread_equal(owner, pthread_self()) != 0 }

  /// Makes a GL call that can fail.
  ///
  /// The error flag is read after every call under `SAFELIGHT_DEBUG=1`, and otherwise once per command by
  /// ``check(_:)``: `glGetError` may stall drivers that run calls on a thread of their own.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` or `driver` if the error flag is set.
  func call<Result>(_ name: StaticString, _ body: (borrowing safelight_gles) -> Result) throws(SafelightError) -> Result
  {
    let result = body(table)
    if checksEveryCall { try check(name.description) }
    return result
  }

  /// Throws an error that names `call` if the error flag is set (ES 3.2 §2.3.1).
  func check(_ call: String) throws(SafelightError) {
    let code = table.glGetError()
    let name: String
    switch Int32(truncatingIfNeeded: code) {
    case GL_NO_ERROR: return
    case GL_OUT_OF_MEMORY:
      throw SafelightError(
        .resources, call, why: "GL_OUT_OF_MEMORY: not enough GPU memory",
        remedy: "free GPU memory, or use a device with more, or the device 'cpu'")
    case GL_CONTEXT_LOST:
      lossReason = lossReason ?? "\(call) reported GL_CONTEXT_LOST"
      throw SafelightError(
        .driver, call, why: "GL_CONTEXT_LOST: the GPU was reset",
        remedy: "run again; see dmesg for the driver's reason")
    case GL_INVALID_ENUM: name = "GL_INVALID_ENUM"
    case GL_INVALID_VALUE: name = "GL_INVALID_VALUE"
    case GL_INVALID_OPERATION: name = "GL_INVALID_OPERATION"
    case GL_INVALID_FRAMEBUFFER_OPERATION: name = "GL_INVALID_FRAMEBUFFER_OPERATION"
    default: name = "GL error 0x\(String(code, radix: 16))"
    }
    throw SafelightError(
      .driver, call, why: name, remedy: "set SAFELIGHT_DEBUG=1 to see the driver's messages, and report them")
  }

  /// Clears the error flags. A lost context raises its own forever, so the number of attempts is limited.
  func discardErrors() {
    for _ in 0..<8 where table.glGetError() == UInt32(GL_NO_ERROR) { return }
  }
}

/// The kinds of GL objects.
enum GLObjectKind {
  case texture, buffer, framebuffer, sampler, vertexArray, query, program
  /// A shader of a stage, such as `GL_COMPUTE_SHADER`.
  case shader(GLenum)
}

/// The sole owner of a GL object's name, which deletes the object on the context thread, where all owners live and die.
struct GLName: ~Copyable {
  let rawValue: GLuint
  private let kind: GLObjectKind
  private let gl: GLFunctions

  /// Makes an object (`glGen…`, `glCreate…`).
  init(_ kind: GLObjectKind, _ gl: GLFunctions) {
    var name: GLuint = 0
    switch kind {
    case .texture: unsafe gl.table.glGenTextures(1, &name)
    case .buffer: unsafe gl.table.glGenBuffers(1, &name)
    case .framebuffer: unsafe gl.table.glGenFramebuffers(1, &name)
    case .sampler: unsafe gl.table.glGenSamplers(1, &name)
    case .vertexArray: unsafe gl.table.glGenVertexArrays(1, &name)
    case .query: unsafe gl.table.glGenQueries(1, &name)
    case .program: name = gl.table.glCreateProgram()
    case .shader(let stage): name = gl.table.glCreateShader(stage)
    }
    (rawValue, self.kind, self.gl) = (name, kind, gl)
  }

  deinit {
    if ContextThreads.areStopped && !gl.isOnContextThread { return }
    trap(
      unless: gl.isOnContextThread,
      "a GL object was released off its context thread; keep GL objects on the device's thread")
    var name = rawValue
    switch kind {
    case .texture: unsafe gl.table.glDeleteTextures(1, &name)
    case .buffer: unsafe gl.table.glDeleteBuffers(1, &name)
    case .framebuffer: unsafe gl.table.glDeleteFramebuffers(1, &name)
    case .sampler: unsafe gl.table.glDeleteSamplers(1, &name)
    case .vertexArray: unsafe gl.table.glDeleteVertexArrays(1, &name)
    case .query: unsafe gl.table.glDeleteQueries(1, &name)
    case .shader: gl.table.glDeleteShader(name)
    case .program: gl.table.glDeleteProgram(name)
    }
  }
}

/// A shared ``GLName``, for arrays and enums, which cannot hold what cannot be copied.
package final class GLObject {
  let name: GLName

  init(_ name: consuming GLName) { self.name = name }

  var rawValue: GLuint { name.rawValue }
}
