internal import CGLES
package import SafelightImage

/// Which corners a draw takes.
package enum DrawRange: Hashable, Sendable {
  /// Corners one after the other.
  case vertices(start: Int, count: Int)
  /// Corners in the order of the bound index buffer, from byte `offset` on.
  case indices(IndexType, offset: Int, count: Int, baseVertex: Int)
  /// As bytes of the bound buffer of arguments say, from byte `offset` on.
  case indirect(offset: Int)
  /// As bytes of the bound buffer of arguments say, with the bound index buffer.
  case indirectIndices(IndexType, offset: Int)
}

extension Context {
  /// Draws with the program, the vertex input and the target that are bound (`glDraw…`).
  package func draw(_ type: PrimitiveType, _ range: DrawRange, instances: Int) throws(SafelightError) {
    let restarts = type.isStrip && range.isIndexed
    let restart = GLenum(GL_PRIMITIVE_RESTART_FIXED_INDEX)
    if restarts { gl.table.glEnable(restart) }
    defer { if restarts { gl.table.glDisable(restart) } }
    let mode = type.glValue
    switch range {
    case .vertices(let start, let count):
      try gl.call("glDrawArraysInstanced") {
        $0.glDrawArraysInstanced(mode, GLint(start), GLsizei(count), GLsizei(instances))
      }
    case .indices(let index, let offset, let count, baseVertex: 0):
      try gl.call("glDrawElementsInstanced") {
        unsafe $0.glDrawElementsInstanced(
          mode, GLsizei(count), index.glValue, UnsafeRawPointer(bitPattern: offset), GLsizei(instances))
      }
    case .indices(let index, let offset, let count, let baseVertex):
      try gl.call("glDrawElementsInstancedBaseVertex") {
        unsafe $0.glDrawElementsInstancedBaseVertex?(
          mode, GLsizei(count), index.glValue, UnsafeRawPointer(bitPattern: offset), GLsizei(instances),
          GLint(baseVertex))
      }
    case .indirect(let offset):
      try gl.call("glDrawArraysIndirect") {
        unsafe $0.glDrawArraysIndirect(mode, UnsafeRawPointer(bitPattern: offset))
      }
    case .indirectIndices(let index, let offset):
      try gl.call("glDrawElementsIndirect") {
        unsafe $0.glDrawElementsIndirect(mode, index.glValue, UnsafeRawPointer(bitPattern: offset))
      }
    }
  }
}

extension DrawRange {
  fileprivate var isIndexed: Bool {
    switch self {
    case .vertices, .indirect: false
    case .indices, .indirectIndices: true
    }
  }
}
