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

/// The shapes that corners make; Metal's `MTLPrimitiveType`.
public enum PrimitiveType: String, Codable, Hashable, Sendable, CaseIterable {
  /// Each corner by itself.
  case point
  /// Two corners each.
  case line
  /// Each corner after the first makes a line with the one before it.
  case lineStrip
  /// Three corners each.
  case triangle
  /// Each corner after the second makes a triangle with the two before it.
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

  /// Whether the index of all ones begins a new strip, as it always does in Metal.
  package var isStrip: Bool { self == .lineStrip || self == .triangleStrip }
}

/// The width of an index; Metal's `MTLIndexType`.
public enum IndexType: String, Codable, Hashable, Sendable {
  /// Two bytes.
  case uint16
  /// Four bytes.
  case uint32

  /// Bytes of an index.
  public var length: Int { self == .uint16 ? 2 : 4 }

  /// The index that begins a new strip.
  package var restart: UInt32 { self == .uint16 ? 0xffff : 0xffff_ffff }

  var glValue: GLenum { GLenum(self == .uint16 ? GL_UNSIGNED_SHORT : GL_UNSIGNED_INT) }
}

/// Which triangles are left out; Metal's `MTLCullMode`.
public enum CullMode: String, Codable, Hashable, Sendable {
  /// None.
  case none
  /// Those that show their front.
  case front
  /// Those that show their back.
  case back
}

/// The way round, as seen in the picture, in which the corners of a front follow each other; Metal's `MTLWinding`.
public enum Winding: String, Codable, Hashable, Sendable {
  /// As a clock's hands.
  case clockwise
  /// Against them.
  case counterClockwise

  /// GL counts window rows from the bottom, and a texture keeps that row first: what turns clockwise in the picture turns
  /// counter-clockwise to GL.
  var glValue: GLenum { GLenum(self == .clockwise ? GL_CCW : GL_CW) }
}
