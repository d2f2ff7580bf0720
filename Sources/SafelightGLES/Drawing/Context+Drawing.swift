internal import CGLES
package import SafelightImage

/// The vertices of a draw.
package enum DrawRange: Hashable, Sendable {
  /// Consecutive vertices.
  case vertices(start: Int, count: Int)
  /// Vertices in the order of the bound index buffer, from byte `offset` on.
  case indices(IndexType, offset: Int, count: Int, baseVertex: Int)
  /// Consecutive vertices, with arguments in the bound buffer from byte `offset` on.
  case indirect(offset: Int)
  /// Vertices in the order of the bound index buffer, with arguments in the bound buffer from byte `offset` on.
  case indirectIndices(IndexType, offset: Int)
}

extension Context {
  /// Draws with the bound program, vertex input and target (`glDraw…`).
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

/// The shapes that vertices form; Metal's `MTLPrimitiveType`.
public enum PrimitiveType: String, Codable, Hashable, Sendable, CaseIterable {
  /// A point for each vertex.
  case point
  /// A line for each two vertices.
  case line
  /// A line from each vertex to the next.
  case lineStrip
  /// A triangle for each three vertices.
  case triangle
  /// A triangle for each three consecutive vertices.
  case triangleStrip

  var glValue: GLenum {
    switch self {
    case .point: GLenum(GL_POINTS)
    case .line: GLenum(GL_LINES)
    case .lineStrip: GLenum(GL_LINE_STRIP)
    case .triangle: GLenum(GL_TRIANGLES)
    case .triangleStrip: GLenum(GL_TRIANGLE_STRIP)
    }
  }

  /// Whether an index of all ones starts a new strip, as it always does in Metal.
  package var isStrip: Bool { self == .lineStrip || self == .triangleStrip }
}

/// The width of an index; Metal's `MTLIndexType`.
public enum IndexType: String, Codable, Hashable, Sendable {
  /// Two bytes.
  case uint16
  /// Four bytes.
  case uint32

  /// The number of bytes in an index.
  public var length: Int { self == .uint16 ? 2 : 4 }

  /// The index that starts a new strip.
  package var restart: UInt32 { self == .uint16 ? 0xffff : 0xffff_ffff }

  var glValue: GLenum { GLenum(self == .uint16 ? GL_UNSIGNED_SHORT : GL_UNSIGNED_INT) }
}

/// The triangles that are not drawn; Metal's `MTLCullMode`.
public enum CullMode: String, Codable, Hashable, Sendable {
  /// None.
  case none
  /// Triangles that face the viewer.
  case front
  /// Triangles that face away from the viewer.
  case back
}

/// The order in which a front face's vertices appear in the picture; Metal's `MTLWinding`.
public enum Winding: String, Codable, Hashable, Sendable {
  case clockwise
  case counterClockwise

  /// GL counts window rows from the bottom, and a texture stores the bottom row first, so what is clockwise in the
  /// picture is counterclockwise in GL.
  var glValue: GLenum { GLenum(self == .clockwise ? GL_CCW : GL_CW) }
}
