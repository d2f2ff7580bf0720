internal import CGLES

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
