internal import CGLES

/// An error flag of OpenGL ES (ES 3.2 §2.3.1) and the call or command that raised it.
struct GLError: Error, Hashable, Sendable, CustomStringConvertible {
  let code: UInt32
  let call: String

  var name: String {
    switch Int32(truncatingIfNeeded: code) {
    case GL_INVALID_ENUM: "GL_INVALID_ENUM"
    case GL_INVALID_VALUE: "GL_INVALID_VALUE"
    case GL_INVALID_OPERATION: "GL_INVALID_OPERATION"
    case GL_INVALID_FRAMEBUFFER_OPERATION: "GL_INVALID_FRAMEBUFFER_OPERATION"
    case GL_OUT_OF_MEMORY: "GL_OUT_OF_MEMORY"
    case GL_CONTEXT_LOST: "GL_CONTEXT_LOST"
    default: "GL error 0x\(String(code, radix: 16))"
    }
  }

  var isOutOfMemory: Bool { code == UInt32(GL_OUT_OF_MEMORY) }
  var isContextLost: Bool { code == UInt32(GL_CONTEXT_LOST) }

  var description: String { "\(call): \(name)" }
}
