internal import CGLES
internal import SafelightImage

/// How a number is compared with the one already there, new on the left; Metal's `MTLCompareFunction`.
public enum CompareFunction: String, Codable, Hashable, Sendable, CaseIterable {
  case never, less, equal, lessEqual, greater, notEqual, greaterEqual, always
}

/// What becomes of a stencil's number, of 8 bits; Metal's `MTLStencilOperation`.
public enum StencilOperation: String, Codable, Hashable, Sendable, CaseIterable {
  case keep
  case zero
  /// It becomes the reference.
  case replace
  /// One more, at most 255.
  case incrementClamp
  /// One less, at least 0.
  case decrementClamp
  case invert
  /// One more, 0 after 255.
  case incrementWrap
  /// One less, 255 after 0.
  case decrementWrap
}

/// The stencil test of one side of triangles; Metal's `MTLStencilDescriptor`.
public struct StencilDescriptor: Codable, Hashable, Sendable {
  /// How the reference is compared with what is there; both under ``readMask`` (`glStencilFuncSeparate`).
  public var stencilCompareFunction = CompareFunction.always
  /// What happens where the stencil test fails (`glStencilOpSeparate`).
  public var stencilFailureOperation = StencilOperation.keep
  /// What happens where the stencil test passes and the depth test fails.
  public var depthFailureOperation = StencilOperation.keep
  /// What happens where both pass.
  public var depthStencilPassOperation = StencilOperation.keep
  /// The bits that are compared; the lowest eight count.
  public var readMask: UInt32 = .max
  /// The bits that may change (`glStencilMaskSeparate`); the lowest eight count.
  public var writeMask: UInt32 = .max

  /// Describes a test that passes everywhere and changes nothing.
  public init() {}
}

/// Which samples a draw changes by their depths and stencils, and how it changes those; Metal's `MTLDepthStencilDescriptor`.
public struct DepthStencilDescriptor: Codable, Hashable, Sendable {
  /// A name for messages.
  public var label = ""
  /// How a new depth is compared with what is there (`glDepthFunc`).
  public var depthCompareFunction = CompareFunction.always
  /// Whether depths that pass are kept (`glDepthMask`).
  public var isDepthWriteEnabled = false
  /// The stencil test of fronts.
  public var frontFaceStencil = StencilDescriptor()
  /// The stencil test of backs.
  public var backFaceStencil = StencilDescriptor()

  /// Describes tests that pass everywhere and change nothing.
  public init() {}
}

/// What stencil tests compare with, of each side of triangles.
public struct StencilReferences: Codable, Hashable, Sendable {
  /// That of fronts; the lowest eight bits count.
  public var front: UInt32
  /// That of backs; the lowest eight bits count.
  public var back: UInt32

  package init(front: UInt32 = 0, back: UInt32 = 0) {
    self.front = front
    self.back = back
  }
}

/// What is added to the depths of triangles.
public struct DepthBias: Codable, Hashable, Sendable {
  /// In the least differences that the format holds.
  public var bias: Float
  /// In differences of depth from pixel to pixel.
  public var slopeScale: Float
  /// The most that is added where positive, the least where negative; 0 for no bound.
  public var clamp: Float

  package init(bias: Float = 0, slopeScale: Float = 0, clamp: Float = 0) {
    self.bias = bias
    self.slopeScale = slopeScale
    self.clamp = clamp
  }
}

/// What becomes of triangles before the near plane or behind the far one; Metal's `MTLDepthClipMode`.
public enum DepthClipMode: String, Codable, Hashable, Sendable {
  /// They are cut off.
  case clip
  /// They stay, with the depth of the plane.
  case clamp
}

/// The depths and stencils of one draw.
package struct DepthStencilRaster: Hashable, Sendable {
  /// The tests; nil for none.
  package var tests: DepthStencilDescriptor?
  package var references = StencilReferences()
  package var bias = DepthBias()
  package var clipMode = DepthClipMode.clip

  package init() {}

  /// Whether depths matter: a test that is disabled writes none either (ES 3.2 §15.1.3).
  fileprivate var usesDepth: Bool {
    guard let tests else { return false }
    return tests.depthCompareFunction != .always || tests.isDepthWriteEnabled
  }

  /// Whether stencils matter to either side.
  fileprivate var usesStencil: Bool {
    guard let tests else { return false }
    return tests.frontFaceStencil != StencilDescriptor() || tests.backFaceStencil != StencilDescriptor()
  }
}

extension Context {
  /// Puts the tests of a draw in force.
  func set(_ state: DepthStencilRaster) throws(SafelightError) {
    if let tests = state.tests, state.usesDepth {
      gl.table.glEnable(GLenum(GL_DEPTH_TEST))
      gl.table.glDepthFunc(tests.depthCompareFunction.glValue)
      gl.table.glDepthMask(GLboolean(tests.isDepthWriteEnabled ? GL_TRUE : GL_FALSE))
    }
    if let tests = state.tests, state.usesStencil {
      gl.table.glEnable(GLenum(GL_STENCIL_TEST))
      try set(tests.frontFaceStencil, state.references.front, of: GL_FRONT)
      try set(tests.backFaceStencil, state.references.back, of: GL_BACK)
    }
    if state.bias != DepthBias() { try set(state.bias) }
    if state.clipMode == .clamp { gl.table.glEnable(GLenum(GL_DEPTH_CLAMP_EXT)) }
  }

  private func set(
    _ test: StencilDescriptor, _ reference: UInt32, of face: Int32
  ) throws(SafelightError) {
    let face = GLenum(face)
    // GL cuts a reference beyond eight bits to 255, where Metal lets its lowest bits count.
    let reference = GLint(reference & 0xff)
    try gl.call("glStencilFuncSeparate") {
      $0.glStencilFuncSeparate(face, test.stencilCompareFunction.glValue, reference, test.readMask)
    }
    try gl.call("glStencilOpSeparate") {
      $0.glStencilOpSeparate(
        face, test.stencilFailureOperation.glValue, test.depthFailureOperation.glValue,
        test.depthStencilPassOperation.glValue)
    }
    gl.table.glStencilMaskSeparate(face, test.writeMask)
  }

  /// The clamp's function is there: the command was checked for it before (``DeviceFeatures/depthBiasClamp``).
  private func set(_ bias: DepthBias) throws(SafelightError) {
    gl.table.glEnable(GLenum(GL_POLYGON_OFFSET_FILL))
    if bias.clamp != 0 {
      try gl.call("glPolygonOffsetClampEXT") { $0.glPolygonOffsetClampEXT?(bias.slopeScale, bias.bias, bias.clamp) }
    } else {
      try gl.call("glPolygonOffset") { $0.glPolygonOffset(bias.slopeScale, bias.bias) }
    }
  }

  /// Puts back what clears and other draws rely on; masks hold for clears too (ES 3.2 §15.2.3).
  func unset(_ state: DepthStencilRaster) {
    if state.usesDepth {
      gl.table.glDisable(GLenum(GL_DEPTH_TEST))
      gl.table.glDepthMask(GLboolean(GL_TRUE))
    }
    if state.usesStencil {
      gl.table.glDisable(GLenum(GL_STENCIL_TEST))
      gl.table.glStencilMask(.max)
    }
    if state.bias != DepthBias() { gl.table.glDisable(GLenum(GL_POLYGON_OFFSET_FILL)) }
    if state.clipMode == .clamp { gl.table.glDisable(GLenum(GL_DEPTH_CLAMP_EXT)) }
  }

  /// Fills the depths of the bound framebuffer.
  func clearDepth(to value: Float) throws(SafelightError) {
    let values = [value]
    try gl.call("glClearBufferfv") { unsafe $0.glClearBufferfv(GLenum(GL_DEPTH), 0, values) }
  }

  /// Fills the stencils of the bound framebuffer.
  func clearStencil(to value: UInt32) throws(SafelightError) {
    let values = [GLint(value & 0xff)]
    try gl.call("glClearBufferiv") { unsafe $0.glClearBufferiv(GLenum(GL_STENCIL), 0, values) }
  }
}

extension CompareFunction {
  fileprivate var glValue: GLenum {
    switch self {
    case .never: GLenum(GL_NEVER)
    case .less: GLenum(GL_LESS)
    case .equal: GLenum(GL_EQUAL)
    case .lessEqual: GLenum(GL_LEQUAL)
    case .greater: GLenum(GL_GREATER)
    case .notEqual: GLenum(GL_NOTEQUAL)
    case .greaterEqual: GLenum(GL_GEQUAL)
    case .always: GLenum(GL_ALWAYS)
    }
  }
}

extension StencilOperation {
  fileprivate var glValue: GLenum {
    switch self {
    case .keep: GLenum(GL_KEEP)
    case .zero: GLenum(GL_ZERO)
    case .replace: GLenum(GL_REPLACE)
    case .incrementClamp: GLenum(GL_INCR)
    case .decrementClamp: GLenum(GL_DECR)
    case .invert: GLenum(GL_INVERT)
    case .incrementWrap: GLenum(GL_INCR_WRAP)
    case .decrementWrap: GLenum(GL_DECR_WRAP)
    }
  }
}
