internal import CGLES
package import SafelightImage

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
