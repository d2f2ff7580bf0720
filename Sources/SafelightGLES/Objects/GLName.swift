internal import CGLES
package import SafelightImage

/// A kind of GL object: how its names are deleted.
protocol GLNameKind {
  static func delete(_ name: GLuint, _ gl: GLFunctions)
}

/// Sole owner of one GL object name; deletes it on the context thread, where all owners live and die.
struct GLName<Kind: GLNameKind>: ~Copyable {
  let rawValue: GLuint
  private let gl: GLFunctions

  /// Takes ownership of `rawValue`, which must not be GL's null name.
  init(adopting rawValue: GLuint, _ gl: GLFunctions) {
    self.rawValue = rawValue
    self.gl = gl
  }

  deinit {
    if ContextThreads.areStopped && !gl.isOnContextThread { return }
    gl.checkContextThread()
    Kind.delete(rawValue, gl)
  }
}

/// A ``GLName`` that can be the payload of an enum.
final class GLObject<Kind: GLNameKind> {
  private let name: GLName<Kind>

  init(_ name: consuming GLName<Kind>) { self.name = name }

  var rawValue: GLuint { name.rawValue }
}

enum TextureKind: GLNameKind {
  static func delete(_ name: GLuint, _ gl: GLFunctions) {
    unsafe withUnsafePointer(to: name) { unsafe gl.table.glDeleteTextures(1, $0) }
  }
}

enum BufferKind: GLNameKind {
  static func delete(_ name: GLuint, _ gl: GLFunctions) {
    unsafe withUnsafePointer(to: name) { unsafe gl.table.glDeleteBuffers(1, $0) }
  }
}

enum FramebufferKind: GLNameKind {
  static func delete(_ name: GLuint, _ gl: GLFunctions) {
    unsafe withUnsafePointer(to: name) { unsafe gl.table.glDeleteFramebuffers(1, $0) }
  }
}

enum SamplerKind: GLNameKind {
  static func delete(_ name: GLuint, _ gl: GLFunctions) {
    unsafe withUnsafePointer(to: name) { unsafe gl.table.glDeleteSamplers(1, $0) }
  }
}

enum VertexArrayKind: GLNameKind {
  static func delete(_ name: GLuint, _ gl: GLFunctions) {
    unsafe withUnsafePointer(to: name) { unsafe gl.table.glDeleteVertexArrays(1, $0) }
  }
}

enum QueryKind: GLNameKind {
  static func delete(_ name: GLuint, _ gl: GLFunctions) {
    unsafe withUnsafePointer(to: name) { unsafe gl.table.glDeleteQueries(1, $0) }
  }
}

enum ShaderKind: GLNameKind {
  static func delete(_ name: GLuint, _ gl: GLFunctions) { gl.table.glDeleteShader(name) }
}

enum ProgramKind: GLNameKind {
  static func delete(_ name: GLuint, _ gl: GLFunctions) { gl.table.glDeleteProgram(name) }
}

extension GLFunctions {
  /// Makes one name with a `glGen…` function.
  func makeName<Kind: GLNameKind>(
    _ kind: Kind.Type, _ generate: (GLsizei, UnsafeMutablePointer<GLuint>?) -> Void
  ) -> GLName<Kind> {
    var name: GLuint = 0
    unsafe generate(1, &name)
    return GLName(adopting: name, self)
  }
}

/// A point in the stream of GL commands that can be waited for.
package enum FenceSync {
  /// Waits until the GPU has done everything before this call (`glFenceSync`, `glClientWaitSync`).
  ///
  /// Throws when it does not answer within `seconds`: a hung GPU must not hang its caller for ever.
  package static func wait(_ context: Context, seconds: Int, during work: String) throws(SafelightError) {
    let gl = context.gl
    guard let fence = unsafe gl.table.glFenceSync(GLenum(GL_SYNC_GPU_COMMANDS_COMPLETE), 0) else {
      try gl.check("glFenceSync")
      throw SafelightError(.driver, work, why: "the driver gave no fence to wait for", remedy: "use the device cpu")
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

/// One reading of the device's clock at a point of its command stream.
package final class TimestampQuery {
  let name: GLName<QueryKind>

  init(_ gl: GLFunctions) { name = unsafe gl.makeName(QueryKind.self, gl.table.glGenQueries) }
}

/// The device's own clock (EXT_disjoint_timer_query); its queries are used again and again.
package final class TimestampQueries {
  /// Query objects made so far; bounded by the readings under way at once.
  package private(set) var count = 0

  private let gl: GLFunctions
  private var free: [TimestampQuery] = []

  /// The clock of `context`; nil where the driver has none, or one of no bits.
  package init?(_ context: Context) {
    gl = context.gl
    guard let query = unsafe gl.table.glGetQueryivEXT, gl.table.glQueryCounterEXT != nil,
      unsafe gl.table.glGetQueryObjectui64vEXT != nil
    else { return nil }
    var bits: GLint = 0
    unsafe query(GLenum(GL_TIMESTAMP_EXT), GLenum(GL_QUERY_COUNTER_BITS_EXT), &bits)
    guard bits > 0 else { return nil }
  }

  /// The device's clock now, in nanoseconds from an origin of its own (`glGetInteger64v`).
  package var now: Int64 {
    var value: GLint64 = 0
    unsafe gl.table.glGetInteger64v(GLenum(GL_TIMESTAMP_EXT), &value)
    return value
  }

  /// Notes the time at which the device passes this point (`glQueryCounterEXT`).
  package func stamp() throws(SafelightError) -> TimestampQuery {
    let query = free.popLast() ?? make()
    try gl.call("glQueryCounterEXT") { $0.glQueryCounterEXT?(query.name.rawValue, GLenum(GL_TIMESTAMP_EXT)) }
    return query
  }

  /// The nanoseconds of `query`; waits until the device has passed it (`glGetQueryObjectui64vEXT`).
  package func nanoseconds(of query: TimestampQuery) -> Int64 {
    var value: GLuint64 = 0
    unsafe gl.table.glGetQueryObjectui64vEXT?(query.name.rawValue, GLenum(GL_QUERY_RESULT), &value)
    return Int64(truncatingIfNeeded: value)
  }

  /// Takes a query back for the next reading.
  package func reuse(_ query: TimestampQuery) { free.append(query) }

  /// True when the clock was disturbed since the last call, as by a change of frequency: readings around it mean nothing.
  package func takeDisjoint() -> Bool { gl.integer(GL_GPU_DISJOINT_EXT) != 0 }

  private func make() -> TimestampQuery {
    count += 1
    return TimestampQuery(gl)
  }
}

/// Asks whether any pixel of a draw passed (`GL_ANY_SAMPLES_PASSED`).
package final class VisibilityQuery {
  private let gl: GLFunctions
  private let name: GLName<QueryKind>

  package init(_ context: Context) {
    gl = context.gl
    name = unsafe context.gl.makeName(QueryKind.self, context.gl.table.glGenQueries)
  }

  /// Begins to look.
  package func begin() { gl.table.glBeginQuery(GLenum(GL_ANY_SAMPLES_PASSED), name.rawValue) }

  /// Looks no more.
  package func end() { gl.table.glEndQuery(GLenum(GL_ANY_SAMPLES_PASSED)) }

  /// What was seen; waits for the draw.
  package func waitForResult() -> Bool {
    var result: GLuint = 0
    unsafe gl.table.glGetQueryObjectuiv(name.rawValue, GLenum(GL_QUERY_RESULT), &result)
    return result != 0
  }
}
