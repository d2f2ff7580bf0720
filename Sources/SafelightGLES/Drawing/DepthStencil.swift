internal import CGLES
package import SafelightImage

/// How a new value, on the left, is compared with the stored one; Metal's `MTLCompareFunction`.
public enum CompareFunction: String, Codable, Hashable, Sendable, CaseIterable {
  case never, less, equal, lessEqual, greater, notEqual, greaterEqual, always
}

/// A change of an 8-bit stencil value; Metal's `MTLStencilOperation`.
public enum StencilOperation: String, Codable, Hashable, Sendable, CaseIterable {
  case keep
  case zero
  /// Sets it to the reference.
  case replace
  /// Adds one, up to 255.
  case incrementClamp
  /// Subtracts one, down to 0.
  case decrementClamp
  case invert
  /// Adds one; 255 becomes 0.
  case incrementWrap
  /// Subtracts one; 0 becomes 255.
  case decrementWrap
}

/// The stencil test of front or back faces; Metal's `MTLStencilDescriptor`.
public struct StencilDescriptor: Codable, Hashable, Sendable {
  /// How the reference is compared with the stored value, both masked by ``readMask`` (`glStencilFuncSeparate`).
  public var stencilCompareFunction = CompareFunction.always
  /// The change if the stencil test fails (`glStencilOpSeparate`).
  public var stencilFailureOperation = StencilOperation.keep
  /// The change if the stencil test passes and the depth test fails.
  public var depthFailureOperation = StencilOperation.keep
  /// The change if both tests pass.
  public var depthStencilPassOperation = StencilOperation.keep
  /// The bits to compare, in the lowest eight bits.
  public var readMask: UInt32 = .max
  /// The bits that may change, in the lowest eight bits (`glStencilMaskSeparate`).
  public var writeMask: UInt32 = .max

  /// Describes a test that always passes and changes nothing.
  public init() {}
}

/// The depth and stencil tests of draws; Metal's `MTLDepthStencilDescriptor`.
public struct DepthStencilDescriptor: Codable, Hashable, Sendable {
  /// A name for messages.
  public var label = ""
  /// How a new depth is compared with the stored one (`glDepthFunc`).
  public var depthCompareFunction = CompareFunction.always
  /// True if depths that pass are stored (`glDepthMask`).
  public var isDepthWriteEnabled = false
  /// The stencil test of front faces.
  public var frontFaceStencil = StencilDescriptor()
  /// The stencil test of back faces.
  public var backFaceStencil = StencilDescriptor()

  /// Describes tests that always pass and change nothing.
  public init() {}
}

/// The reference values of stencil tests.
public struct StencilReferences: Codable, Hashable, Sendable {
  /// The reference of front faces, in the lowest eight bits.
  public var front: UInt32
  /// The reference of back faces, in the lowest eight bits.
  public var back: UInt32

  package init(front: UInt32 = 0, back: UInt32 = 0) {
    self.front = front
    self.back = back
  }
}

/// An offset of the depths of triangles.
public struct DepthBias: Codable, Hashable, Sendable {
  /// The constant offset, in units of the smallest difference that the format stores.
  public var bias: Float
  /// The offset per unit of depth slope from pixel to pixel.
  public var slopeScale: Float
  /// The limit of the offset: a maximum if positive, a minimum if negative, none if 0.
  public var clamp: Float

  package init(bias: Float = 0, slopeScale: Float = 0, clamp: Float = 0) {
    self.bias = bias
    self.slopeScale = slopeScale
    self.clamp = clamp
  }
}

/// The treatment of triangles outside the near and far planes; Metal's `MTLDepthClipMode`.
public enum DepthClipMode: String, Codable, Hashable, Sendable {
  /// They are cut at the plane.
  case clip
  /// They are drawn with the depth of the plane.
  case clamp
}

/// The depth and stencil state of one draw.
package struct DepthStencilRaster: Hashable, Sendable {
  /// The tests; nil for none.
  package var tests: DepthStencilDescriptor?
  package var references = StencilReferences()
  package var bias = DepthBias()
  package var clipMode = DepthClipMode.clip

  /// True if depths are tested or stored: without the depth test none are stored (ES 3.2 §15.1.3).
  fileprivate var usesDepth: Bool {
    tests.map { $0.depthCompareFunction != .always || $0.isDepthWriteEnabled } ?? false
  }

  /// True if stencil values are tested or stored for either face.
  fileprivate var usesStencil: Bool {
    tests.map { $0.frontFaceStencil != StencilDescriptor() || $0.backFaceStencil != StencilDescriptor() } ?? false
  }
}

extension Context {
  /// Applies the tests of a draw.
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

  private func set(_ test: StencilDescriptor, _ reference: UInt32, of face: Int32) throws(SafelightError) {
    let face = GLenum(face)
    // GL clamps a larger reference to 255; Metal uses its lowest bits.
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

  /// Applies a depth bias. The command was checked for ``DeviceFeatures/depthBiasClamp``, so its function exists.
  private func set(_ bias: DepthBias) throws(SafelightError) {
    gl.table.glEnable(GLenum(GL_POLYGON_OFFSET_FILL))
    if bias.clamp != 0 {
      try gl.call("glPolygonOffsetClampEXT") { $0.glPolygonOffsetClampEXT?(bias.slopeScale, bias.bias, bias.clamp) }
    } else {
      try gl.call("glPolygonOffset") { $0.glPolygonOffset(bias.slopeScale, bias.bias) }
    }
  }

  /// Restores the defaults for clears and other draws; masks also affect clears (ES 3.2 §15.2.3).
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

  /// Fills the depth attachment of the bound framebuffer (`glClearBuffer`).
  package func clearDepth(to value: Float) throws(SafelightError) {
    let values = [value]
    try gl.call("glClearBufferfv") { unsafe $0.glClearBufferfv(GLenum(GL_DEPTH), 0, values) }
  }

  /// Fills the stencil attachment of the bound framebuffer (`glClearBuffer`).
  package func clearStencil(to value: UInt32) throws(SafelightError) {
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
