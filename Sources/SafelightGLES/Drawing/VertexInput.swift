internal import CGLES
package import SafelightImage

/// One attribute of a vertex function: where its value lies.
package struct VertexInputAttribute: Hashable, Sendable {
  /// The `location` in the function.
  package var index: Int
  package var format: VertexFormat
  /// Bytes from the start of a vertex.
  package var offset: Int
  /// The buffer that holds it.
  package var bufferIndex: Int

  package init(index: Int, format: VertexFormat, offset: Int, bufferIndex: Int) {
    self.index = index
    self.format = format
    self.offset = offset
    self.bufferIndex = bufferIndex
  }
}

/// One buffer of vertices.
package struct VertexInputBuffer {
  package var index: Int
  package var buffer: BufferObject
  /// The first byte.
  package var offset: Int
  /// Bytes from one vertex to the next.
  package var stride: Int
  /// Instances that share a vertex; 0 for one vertex a corner.
  package var divisor: Int

  package init(index: Int, buffer: BufferObject, offset: Int, stride: Int, divisor: Int) {
    self.index = index
    self.buffer = buffer
    self.offset = offset
    self.stride = stride
    self.divisor = divisor
  }
}

/// The vertex array object of a context, filled for each draw and emptied after it.
///
/// GL's default object takes no separate formats and no indirect draws (ES 3.1 §10.3.1, §10.5).
package final class VertexInput {
  private let gl: GLFunctions
  private let name: GLName<VertexArrayKind>

  package init(_ context: Context) {
    gl = context.gl
    name = unsafe context.gl.makeName(VertexArrayKind.self, context.gl.table.glGenVertexArrays)
  }

  /// Runs `body` with attributes and buffers bound.
  package func with(
    _ attributes: [VertexInputAttribute], _ buffers: [VertexInputBuffer], indices: BufferObject?,
    arguments: BufferObject?, _ body: () throws(SafelightError) -> Void
  ) throws(SafelightError) {
    gl.table.glBindVertexArray(name.rawValue)
    defer { unbind(attributes, buffers) }
    for attribute in attributes { try bind(attribute) }
    for buffer in buffers { try bind(buffer) }
    if let indices { try indices.bind(GLenum(GL_ELEMENT_ARRAY_BUFFER)) }
    if let arguments { try arguments.bind(GLenum(GL_DRAW_INDIRECT_BUFFER)) }
    try body()
  }

  private func bind(_ attribute: VertexInputAttribute) throws(SafelightError) {
    let (index, format) = (GLuint(attribute.index), attribute.format)
    if format.isInteger {
      try gl.call("glVertexAttribIFormat") {
        $0.glVertexAttribIFormat(index, GLint(format.count), format.component.glValue, GLuint(attribute.offset))
      }
    } else {
      try gl.call("glVertexAttribFormat") {
        $0.glVertexAttribFormat(
          index, GLint(format.count), format.component.glValue,
          GLboolean(format.isNormalized ? GL_TRUE : GL_FALSE), GLuint(attribute.offset))
      }
    }
    try gl.call("glVertexAttribBinding") { $0.glVertexAttribBinding(index, GLuint(attribute.bufferIndex)) }
    try gl.call("glEnableVertexAttribArray") { $0.glEnableVertexAttribArray(index) }
  }

  private func bind(_ buffer: VertexInputBuffer) throws(SafelightError) {
    try gl.call("glBindVertexBuffer") {
      $0.glBindVertexBuffer(GLuint(buffer.index), buffer.buffer.name.rawValue, buffer.offset, GLsizei(buffer.stride))
    }
    try gl.call("glVertexBindingDivisor") { $0.glVertexBindingDivisor(GLuint(buffer.index), GLuint(buffer.divisor)) }
  }

  /// Nothing stays: a buffer that is bound here would outlive its owner.
  private func unbind(_ attributes: [VertexInputAttribute], _ buffers: [VertexInputBuffer]) {
    for attribute in attributes { gl.table.glDisableVertexAttribArray(GLuint(attribute.index)) }
    for buffer in buffers { gl.table.glBindVertexBuffer(GLuint(buffer.index), 0, 0, 0) }
    gl.table.glBindBuffer(GLenum(GL_ELEMENT_ARRAY_BUFFER), 0)
    gl.table.glBindBuffer(GLenum(GL_DRAW_INDIRECT_BUFFER), 0)
    gl.table.glBindVertexArray(0)
  }
}
