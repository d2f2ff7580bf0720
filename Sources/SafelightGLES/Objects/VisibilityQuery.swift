internal import CGLES

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
