internal import CGLES
package import SafelightShaders

/// A stage of a program.
package enum ShaderStage: String, Sendable {
  case compute
  case vertex
  case fragment

  var glValue: GLenum {
    switch self {
    case .compute: GLenum(GL_COMPUTE_SHADER)
    case .vertex: GLenum(GL_VERTEX_SHADER)
    case .fragment: GLenum(GL_FRAGMENT_SHADER)
    }
  }
}

/// The text of one stage, complete from its version line on.
package struct StageSource: Sendable {
  package let stage: ShaderStage
  package let name: String
  package let shader: AssembledShader

  package init(stage: ShaderStage, name: String, shader: AssembledShader) {
    self.stage = stage
    self.name = name
    self.shader = shader
  }
}
