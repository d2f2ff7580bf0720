internal import CGLES
internal import Logging
package import SafelightImage

extension Context {
  /// Runs the program in use on `depth` layers of a grid of threadgroups (`glDispatchCompute`).
  package func dispatch(threadgroups: Size, depth: Int = 1) throws(SafelightError) {
    try flushDrawing()
    try gl.call("glDispatchCompute") {
      $0.glDispatchCompute(GLuint(threadgroups.width), GLuint(threadgroups.height), GLuint(depth))
    }
  }

  /// Runs the program in use on a grid whose size is in three words of the bound buffer, from byte `offset` on
  /// (`glDispatchComputeIndirect`).
  package func dispatchIndirect(offset: Int) throws(SafelightError) {
    try flushDrawing()
    try gl.call("glDispatchComputeIndirect") { $0.glDispatchComputeIndirect(GLintptr(offset)) }
  }

  /// Driver workaround "late drawing": flushes drawing before a dispatch.
  ///
  /// Symptom: a texture that is cleared and then written by a compute function is clear again. Driver: softpipe, Mesa
  /// 22.3.6, which keeps tiles of the render target until the target changes or a flush. Test:
  /// MatrixTests.softpipeKeepsWhatComputeFunctionsWrite. Remove it once softpipe of every supported Mesa writes in
  /// order.
  private func flushDrawing() throws(SafelightError) {
    if renderer == "softpipe" { try flush() }
  }

  /// Orders shader writes before the uses named by `mask` (`glMemoryBarrier`).
  package func memoryBarrier(_ mask: BarrierMask) throws(SafelightError) {
    let known = unsafe mask.intersection(.known(mapsBuffers: gl.table.glBufferStorageEXT != nil))
    guard !known.isEmpty else { return }
    try gl.call("glMemoryBarrier") { $0.glMemoryBarrier(known.rawValue) }
  }

  /// Labels an object for debuggers, cut to the driver's limit; does nothing without KHR_debug.
  func label(_ kind: Int32, _ name: GLuint, _ label: String) {
    unsafe gl.table.glObjectLabel?(GLenum(kind), name, -1, label.cut(toBytes: gl.maximumLabelLength))
  }

  /// Opens a named group of commands for debuggers (`glPushDebugGroup`).
  package func pushDebugGroup(_ label: String) {
    unsafe gl.table.glPushDebugGroup?(
      GLenum(GL_DEBUG_SOURCE_APPLICATION), 0, -1, label.cut(toBytes: gl.maximumGroupLength))
  }

  /// Closes the innermost group (`glPopDebugGroup`).
  package func popDebugGroup() { gl.table.glPopDebugGroup?() }

  /// Inserts a message between commands for debuggers (`glDebugMessageInsert`).
  package func insertDebugSignpost(_ text: String) {
    unsafe gl.table.glDebugMessageInsert?(
      GLenum(GL_DEBUG_SOURCE_APPLICATION), GLenum(GL_DEBUG_TYPE_MARKER), 0, GLenum(GL_DEBUG_SEVERITY_NOTIFICATION), -1,
      text.cut(toBytes: gl.maximumGroupLength))
  }

  /// Submits all commands so far to the GPU without waiting for it (`glFlush`).
  package func flush() throws(SafelightError) { try gl.call("glFlush") { $0.glFlush() } }
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
    .command, .vertexAttributes, .elements, .sharedMemory,
  ]
}

extension Context {
  /// Waits until the GPU has completed all commands before this call (`glFenceSync`, `glClientWaitSync`).
  ///
  /// - Throws: ``SafelightError`` of kind `driver` after `seconds`, so that a hung GPU does not hang its caller.
  package func wait(seconds: Int, during work: String) throws(SafelightError) {
    guard let fence = unsafe gl.table.glFenceSync(GLenum(GL_SYNC_GPU_COMMANDS_COMPLETE), 0) else {
      try gl.check("glFenceSync")
      throw SafelightError(.driver, work, why: "the driver gave no fence to wait for", remedy: "use the device 'cpu'")
    }
    defer { unsafe gl.table.glDeleteSync(fence) }
    let status = unsafe gl.table.glClientWaitSync(
      fence, GLbitfield(GL_SYNC_FLUSH_COMMANDS_BIT), GLuint64(seconds) * 1_000_000_000)
    switch Int32(status) {
    case GL_ALREADY_SIGNALED, GL_CONDITION_SATISFIED: break
    case GL_TIMEOUT_EXPIRED:
      throw SafelightError(
        .driver, work, why: "the GPU did not answer for \(seconds) s",
        remedy: "see dmesg; the GPU may hang or be busy with other work")
    default:
      try gl.check("glClientWaitSync")
      throw SafelightError(.driver, work, why: "waiting for the GPU failed", remedy: "run again")
    }
  }
}

/// A reading of the device's clock at one point of its command stream.
package typealias TimestampQuery = GLObject

/// The device's own clock (EXT_disjoint_timer_query); reuses its queries.
package final class TimestampQueries {
  /// The number of query objects made so far, which is the largest number of readings in use at once.
  package private(set) var count = 0

  private let gl: GLFunctions
  private var free: [TimestampQuery] = []

  /// Makes the clock of `context`; nil if the driver has none, or one without bits.
  package init?(_ context: Context) {
    gl = context.gl
    guard let query = unsafe gl.table.glGetQueryivEXT, gl.table.glQueryCounterEXT != nil,
      unsafe gl.table.glGetQueryObjectui64vEXT != nil
    else { return nil }
    let bits = unsafe gl.query { unsafe query(GLenum(GL_TIMESTAMP_EXT), GLenum(GL_QUERY_COUNTER_BITS_EXT), $1) }
    guard bits > 0 else { return nil }
  }

  /// The current time of the device in nanoseconds since an unspecified origin (`glGetInteger64v`).
  package var now: Int64 {
    var value: GLint64 = 0
    unsafe gl.table.glGetInteger64v(GLenum(GL_TIMESTAMP_EXT), &value)
    return value
  }

  /// Records the time at which the device reaches this point (`glQueryCounterEXT`).
  package func stamp() throws(SafelightError) -> TimestampQuery {
    if free.isEmpty {
      count += 1
      free.append(GLObject(GLName(.query, gl)))
    }
    let query = free.removeLast()
    try gl.call("glQueryCounterEXT") { $0.glQueryCounterEXT?(query.rawValue, GLenum(GL_TIMESTAMP_EXT)) }
    return query
  }

  /// Returns the recorded time in nanoseconds; waits until the device has reached the point
  /// (`glGetQueryObjectui64vEXT`).
  package func nanoseconds(of query: TimestampQuery) -> Int64 {
    var value: GLuint64 = 0
    unsafe gl.table.glGetQueryObjectui64vEXT?(query.rawValue, GLenum(GL_QUERY_RESULT), &value)
    return Int64(truncatingIfNeeded: value)
  }

  /// Returns a query for reuse.
  package func reuse(_ query: TimestampQuery) { free.append(query) }

  /// Returns whether the clock was disturbed since the last call, for example by a change of frequency, which
  /// invalidates recent readings.
  package func takeDisjoint() -> Bool { gl.integer(GL_GPU_DISJOINT_EXT) != 0 }
}

/// A query of whether any sample of its draws passed (`GL_ANY_SAMPLES_PASSED`).
package final class VisibilityQuery {
  private let gl: GLFunctions
  private let name: GLName

  package init(_ context: Context) {
    gl = context.gl
    name = GLName(.query, context.gl)
  }

  package func begin() { gl.table.glBeginQuery(GLenum(GL_ANY_SAMPLES_PASSED), name.rawValue) }

  package func end() { gl.table.glEndQuery(GLenum(GL_ANY_SAMPLES_PASSED)) }

  /// Returns whether any sample passed; waits for the draws.
  package func waitForResult() -> Bool {
    var result: GLuint = 0
    unsafe gl.table.glGetQueryObjectuiv(name.rawValue, GLenum(GL_QUERY_RESULT), &result)
    return result != 0
  }
}

/// Routes the messages of KHR_debug to the log.
final class DebugMessages: Sendable {
  private let logger: Logger

  init(logger: Logger) { self.logger = logger }

  /// Installs the callback, which the driver may call on any thread. With `synchronously` it is called inside the call
  /// that caused the message, which slows drivers with threads of their own.
  func listen(_ gl: GLFunctions, synchronously: Bool) {
    guard let install = unsafe gl.table.glDebugMessageCallback else { return }
    gl.table.glEnable(GLenum(GL_DEBUG_OUTPUT))
    if synchronously { gl.table.glEnable(GLenum(GL_DEBUG_OUTPUT_SYNCHRONOUS)) }
    unsafe install(
      { _, _, _, severity, length, text, user in
        guard let text = unsafe text, let user = unsafe user else { return }
        let bytes = unsafe UnsafeRawBufferPointer(start: text, count: Int(length))
        unsafe Unmanaged<DebugMessages>.fromOpaque(user).takeUnretainedValue()
          .log(String(decoding: bytes, as: UTF8.self), severity: severity)
      }, unsafe Unmanaged.passUnretained(self).toOpaque())
  }

  /// Removes the callback, so that the driver keeps no pointer to this object.
  func stop(_ gl: GLFunctions) { gl.table.glDebugMessageCallback?(nil, nil) }

  private func log(_ text: String, severity: GLenum) {
    let level: Logger.Level =
      switch Int32(severity) {
      case GL_DEBUG_SEVERITY_HIGH: .error
      case GL_DEBUG_SEVERITY_MEDIUM: .warning
      case GL_DEBUG_SEVERITY_LOW: .info
      default: .trace
      }
    logger.log(level: level, "\(text)")
  }
}

extension String {
  /// Returns the longest prefix of whole characters with fewer than `count` UTF-8 bytes: lengths in KHR_debug include
  /// the final zero.
  fileprivate func cut(toBytes count: Int) -> String {
    guard utf8.count >= count else { return self }
    var length = 0
    return String(
      prefix { character in
        length += character.utf8.count
        return length < count
      })
  }
}
