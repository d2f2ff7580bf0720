internal import CGLES

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
