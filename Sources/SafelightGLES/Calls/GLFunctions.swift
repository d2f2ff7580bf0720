internal import CEGL
internal import CGLES
internal import Glibc
internal import SafelightImage

/// The entry points of one context, bound to the thread that owns it.
///
/// Not `Sendable`: the compiler keeps all calls on the context thread, except in `deinit`s, which
/// ``checkContextThread()`` checks.
@safe final class GLFunctions {
  private(set) var table: safelight_gles
  private let owner = pthread_self()
  /// Whether the error flag is read after every call (`SAFELIGHT_DEBUG=1`) rather than once per command.
  var checksEveryCall = false
  /// Why the context is permanently lost; nil while it works.
  var lossReason: String?

  init(table: safelight_gles) { self.table = table }

  private(set) lazy var uniformBufferAlignment = max(4, integer(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT))

  /// Loads the functions beyond OpenGL ES 3.1 that the current context has.
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
    // These extensions are in no core version, and the table names their functions with the suffix.
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

  /// Returns the suffix of a group's functions: empty from version `core` on, else that of the first listed extension;
  /// nil if the context has none of them.
  private func suffix(core: Int, _ candidates: String...) -> String? {
    if version >= core { return "" }
    let listed = extensions
    return candidates.first { listed.contains("GL_\($0)") }.map { String($0.prefix(3)) }
  }

  /// The largest label and group name in bytes, including the final zero; 0 without KHR_debug.
  private(set) var maximumLabelLength = 0
  private(set) var maximumGroupLength = 0

  /// Returns an integer of the context's state.
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
      "a GL object died off its context thread; keep GL objects on the device's thread")
  }
}

extension GLFunctions {
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

  /// Throws an error that names `call` if the error flag is set.
  func check(_ call: String) throws(SafelightError) {
    let code = table.glGetError()
    guard code != UInt32(GL_NO_ERROR) else { return }
    let error = GLError(code: code, call: call)
    if error.isContextLost && lossReason == nil { lossReason = "\(call) said GL_CONTEXT_LOST" }
    throw error.asSafelightError
  }
}

extension GLError {
  /// The error sorted by who can act.
  var asSafelightError: SafelightError {
    if isOutOfMemory {
      SafelightError(
        .limit, call, why: "\(name): not enough GPU memory",
        remedy: "free GPU memory, or use a device with more, or the device cpu")
    } else if isContextLost {
      SafelightError(
        .driver, call, why: "\(name): the GPU was reset", remedy: "run again; see dmesg for the driver's reason")
    } else {
      SafelightError(
        .driver, call, why: name, remedy: "set SAFELIGHT_DEBUG=1 to see the driver's messages, and report it")
    }
  }
}

/// An error flag of OpenGL ES (ES 3.2 §2.3.1) and the call or command that raised it.
struct GLError: Error, Hashable, Sendable, CustomStringConvertible {
  let code: UInt32
  let call: String

  var name: String {
    switch Int32(truncatingIfNeeded: code) {
    case GL_INVALID_ENUM: "GL_INVALID_ENUM"
    case GL_INVALID_VALUE: "GL_INVALID_VALUE"
    case GL_INVALID_OPERATION: "GL_INVALID_OPERATION"
    case GL_INVALID_FRAMEBUFFER_OPERATION: "GL_INVALID_FRAMEBUFFER_OPERATION"
    case GL_OUT_OF_MEMORY: "GL_OUT_OF_MEMORY"
    case GL_CONTEXT_LOST: "GL_CONTEXT_LOST"
    default: "GL error 0x\(String(code, radix: 16))"
    }
  }

  var isOutOfMemory: Bool { code == UInt32(GL_OUT_OF_MEMORY) }
  var isContextLost: Bool { code == UInt32(GL_CONTEXT_LOST) }

  var description: String { "\(call): \(name)" }
}

/// The ways in which data that a shader wrote is read next (ES 3.1 §7.12.2); the bits of `glMemoryBarrier`.
package struct BarrierMask: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let uniform = BarrierMask(rawValue: UInt32(GL_UNIFORM_BARRIER_BIT))
  package static let textureFetch = BarrierMask(rawValue: UInt32(GL_TEXTURE_FETCH_BARRIER_BIT))
  package static let storageTexture = BarrierMask(rawValue: UInt32(GL_SHADER_IMAGE_ACCESS_BARRIER_BIT))
  package static let storageBuffer = BarrierMask(rawValue: UInt32(GL_SHADER_STORAGE_BARRIER_BIT))
  package static let textureUpdate = BarrierMask(rawValue: UInt32(GL_TEXTURE_UPDATE_BARRIER_BIT))
  package static let bufferUpdate = BarrierMask(rawValue: UInt32(GL_BUFFER_UPDATE_BARRIER_BIT))
  package static let pixelBuffer = BarrierMask(rawValue: UInt32(GL_PIXEL_BUFFER_BARRIER_BIT))
  package static let command = BarrierMask(rawValue: UInt32(GL_COMMAND_BARRIER_BIT))
  package static let vertexAttributes = BarrierMask(rawValue: UInt32(GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT))
  package static let elements = BarrierMask(rawValue: UInt32(GL_ELEMENT_ARRAY_BARRIER_BIT))
  package static let sharedMemory = BarrierMask(rawValue: UInt32(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT_EXT))
  package static let framebuffer = BarrierMask(rawValue: UInt32(GL_FRAMEBUFFER_BARRIER_BIT))

  /// Returns the bits that a context accepts. With a bit of a missing extension `glMemoryBarrier` fails and orders
  /// nothing (ES 3.1 §7.12.2).
  package static func known(mapsBuffers: Bool) -> BarrierMask { mapsBuffers ? all : all.subtracting(.sharedMemory) }

  package static let all: BarrierMask = [
    .uniform, .textureFetch, .storageTexture, .storageBuffer, .textureUpdate, .bufferUpdate, .framebuffer, .pixelBuffer,
    .command,
    .vertexAttributes, .elements, .sharedMemory,
  ]
}
