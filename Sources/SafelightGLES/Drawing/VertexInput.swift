internal import CGLES
package import SafelightImage

/// The vertex array object of a context, set up for each draw and reset after it.
///
/// GL's default object supports neither separate formats nor indirect draws (ES 3.1 §10.3.1, §10.5).
package final class VertexInput {
  private let gl: GLFunctions
  private let name: GLName
  private var attributes: Set<GLuint> = []
  private var buffers: Set<GLuint> = []

  package init(_ context: Context) {
    gl = context.gl
    name = GLName(.vertexArray, context.gl)
  }

  /// Runs `body`, which binds what its draw reads; unbinds it afterwards, as a bound buffer would outlive its owner.
  package func with(_ body: () throws(SafelightError) -> Void) throws(SafelightError) {
    gl.table.glBindVertexArray(name.rawValue)
    defer { unbind() }
    try body()
  }

  /// Reads the attribute of `location` `index` from the buffer at `bufferIndex`, `offset` bytes into each vertex.
  package func bind(
    attribute index: Int, _ format: VertexFormat, offset: Int, bufferIndex: Int
  ) throws(SafelightError) {
    let index = GLuint(index)
    attributes.insert(index)
    if format.isInteger {
      try gl.call("glVertexAttribIFormat") {
        $0.glVertexAttribIFormat(index, GLint(format.count), format.component.glValue, GLuint(offset))
      }
    } else {
      try gl.call("glVertexAttribFormat") {
        $0.glVertexAttribFormat(
          index, GLint(format.count), format.component.glValue,
          GLboolean(format.isNormalized ? GL_TRUE : GL_FALSE), GLuint(offset))
      }
    }
    try gl.call("glVertexAttribBinding") { $0.glVertexAttribBinding(index, GLuint(bufferIndex)) }
    try gl.call("glEnableVertexAttribArray") { $0.glEnableVertexAttribArray(index) }
  }

  /// Reads vertices `stride` bytes apart from `buffer`, from byte `offset` on; `divisor` is the number of instances
  /// that share a vertex, or 0 if each vertex of the draw has its own.
  package func bind(
    _ buffer: BufferObject, index: Int, offset: Int, stride: Int, divisor: Int
  ) throws(SafelightError) {
    let index = GLuint(index)
    buffers.insert(index)
    try gl.call("glBindVertexBuffer") { $0.glBindVertexBuffer(index, buffer.name.rawValue, offset, GLsizei(stride)) }
    try gl.call("glVertexBindingDivisor") { $0.glVertexBindingDivisor(index, GLuint(divisor)) }
  }

  private func unbind() {
    for attribute in attributes { gl.table.glDisableVertexAttribArray(attribute) }
    for buffer in buffers { gl.table.glBindVertexBuffer(buffer, 0, 0, 0) }
    (attributes, buffers) = ([], [])
    gl.table.glBindBuffer(GLenum(GL_ELEMENT_ARRAY_BUFFER), 0)
    gl.table.glBindBuffer(GLenum(GL_DRAW_INDIRECT_BUFFER), 0)
    gl.table.glBindVertexArray(0)
  }
}

/// The vertices of a draw.
package enum DrawRange {
  /// Consecutive vertices.
  case vertices(start: Int, count: Int)
  /// Vertices in the order of an index buffer, from byte `offset` on.
  case indices(BufferObject, IndexType, offset: Int, count: Int, baseVertex: Int)
  /// Consecutive vertices, with arguments in a buffer from byte `offset` on.
  case indirect(BufferObject, offset: Int)
  /// Vertices in the order of an index buffer, with `arguments` in a buffer from byte `offset` on.
  case indirectIndices(BufferObject, IndexType, arguments: BufferObject, offset: Int)

  fileprivate var isIndexed: Bool {
    switch self {
    case .indices, .indirectIndices: true
    case .vertices, .indirect: false
    }
  }
}

extension Context {
  /// Draws with the bound program, vertex input and target (`glDraw…`).
  package func draw(_ type: PrimitiveType, _ range: DrawRange, instances: Int) throws(SafelightError) {
    let (restart, restarts) = (GLenum(GL_PRIMITIVE_RESTART_FIXED_INDEX), type.isStrip && range.isIndexed)
    if restarts { gl.table.glEnable(restart) }
    defer { if restarts { gl.table.glDisable(restart) } }
    let mode = type.glValue
    let (elements, arguments) = (GLenum(GL_ELEMENT_ARRAY_BUFFER), GLenum(GL_DRAW_INDIRECT_BUFFER))
    switch range {
    case .vertices(let start, let count):
      try gl.call("glDrawArraysInstanced") {
        $0.glDrawArraysInstanced(mode, GLint(start), GLsizei(count), GLsizei(instances))
      }
    case .indices(let buffer, let index, let offset, let count, baseVertex: 0):
      try buffer.bind(elements)
      try gl.call("glDrawElementsInstanced") {
        unsafe $0.glDrawElementsInstanced(
          mode, GLsizei(count), index.glValue, UnsafeRawPointer(bitPattern: offset), GLsizei(instances))
      }
    case .indices(let buffer, let index, let offset, let count, let baseVertex):
      try buffer.bind(elements)
      try gl.call("glDrawElementsInstancedBaseVertex") {
        unsafe $0.glDrawElementsInstancedBaseVertex?(
          mode, GLsizei(count), index.glValue, UnsafeRawPointer(bitPattern: offset), GLsizei(instances),
          GLint(baseVertex))
      }
    case .indirect(let buffer, let offset):
      try buffer.bind(arguments)
      try gl.call("glDrawArraysIndirect") { unsafe $0.glDrawArraysIndirect(mode, UnsafeRawPointer(bitPattern: offset)) }
    case .indirectIndices(let indices, let index, let buffer, let offset):
      try indices.bind(elements)
      try buffer.bind(arguments)
      try gl.call("glDrawElementsIndirect") {
        unsafe $0.glDrawElementsIndirect(mode, index.glValue, UnsafeRawPointer(bitPattern: offset))
      }
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

  /// True if an index of all ones starts a new strip, as it always does in Metal.
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

/// The format of a vertex attribute in its buffer; Metal's `MTLVertexFormat`.
///
/// In functions, `Normalized` integers are floats from 0 to 1 or −1 to 1, other integers `ivec`s and `uvec`s.
public enum VertexFormat: String, Codable, Hashable, Sendable, CaseIterable {
  case float, float2, float3, float4
  case half2, half4
  case uchar2, uchar4, char2, char4, uchar2Normalized, uchar4Normalized, char2Normalized, char4Normalized
  case ushort2, ushort4, short2, short4, ushort2Normalized, ushort4Normalized, short2Normalized, short4Normalized
  case uint, uint2, uint3, uint4, int, int2, int3, int4

  /// The type of a component.
  package enum Component: Hashable, Sendable {
    case float, half, uchar, char, ushort, short, uint, int

    package var length: Int {
      switch self {
      case .uchar, .char: 1
      case .half, .ushort, .short: 2
      case .float, .uint, .int: 4
      }
    }

    var glValue: GLenum {
      switch self {
      case .float: GLenum(GL_FLOAT)
      case .half: GLenum(GL_HALF_FLOAT)
      case .uchar: GLenum(GL_UNSIGNED_BYTE)
      case .char: GLenum(GL_BYTE)
      case .ushort: GLenum(GL_UNSIGNED_SHORT)
      case .short: GLenum(GL_SHORT)
      case .uint: GLenum(GL_UNSIGNED_INT)
      case .int: GLenum(GL_INT)
      }
    }
  }

  /// The type of the components.
  package var component: Component {
    switch self {
    case .float, .float2, .float3, .float4: .float
    case .half2, .half4: .half
    case .uchar2, .uchar4, .uchar2Normalized, .uchar4Normalized: .uchar
    case .char2, .char4, .char2Normalized, .char4Normalized: .char
    case .ushort2, .ushort4, .ushort2Normalized, .ushort4Normalized: .ushort
    case .short2, .short4, .short2Normalized, .short4Normalized: .short
    case .uint, .uint2, .uint3, .uint4: .uint
    case .int, .int2, .int3, .int4: .int
    }
  }

  /// The number of components, 1 to 4.
  package var count: Int {
    switch self {
    case .float, .uint, .int: 1
    case .float2, .uint2, .int2, .half2, .uchar2, .char2, .ushort2, .short2: 2
    case .uchar2Normalized, .char2Normalized, .ushort2Normalized, .short2Normalized: 2
    case .float3, .uint3, .int3: 3
    case .float4, .uint4, .int4, .half4, .uchar4, .char4, .ushort4, .short4: 4
    case .uchar4Normalized, .char4Normalized, .ushort4Normalized, .short4Normalized: 4
    }
  }

  /// True if integers stand for fractions.
  package var isNormalized: Bool { rawValue.hasSuffix("Normalized") }

  /// True if functions receive integers.
  package var isInteger: Bool { component != .float && component != .half && !isNormalized }

  /// The number of bytes in an attribute.
  public var length: Int { component.length * count }
}
