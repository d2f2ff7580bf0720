internal import CGLES
public import SafelightImage

/// The fixed-function state of one draw.
package struct RasterState: Hashable, Sendable {
  /// The rectangle that clip space maps to; may reach beyond the target.
  package var viewport: Region
  /// The depths of the near and far planes.
  package var near: Float = 0
  package var far: Float = 1
  /// The grid of the Swift twins (``RenderLimits/subpixelBits``); drivers have their own.
  package var subpixelBits = 8
  /// The pixels that may change; nil for all.
  package var scissor: Region?
  package var cullMode = CullMode.none
  package var frontFacing = Winding.clockwise
  /// The state of each attachment.
  package var attachments: [ColorAttachmentState] = []
  /// Red, green, blue and alpha of the constant blend factors.
  package var blendColor: [Float] = [0, 0, 0, 0]

  /// The depth and stencil state.
  package var depthStencil = DepthStencilRaster()

  package init(viewport: Region) { self.viewport = viewport }

  /// True if all attachments are blended and masked alike.
  package var attachmentsAgree: Bool { attachments.allSatisfy { $0.withoutFormat == attachments[0].withoutFormat } }
}

extension Context {
  /// Runs `body` with `state` applied, then restores the state that other commands rely on.
  package func with(_ state: RasterState, _ body: () throws(SafelightError) -> Void) throws(SafelightError) {
    try set(state)
    defer { unset(state) }
    try body()
  }

  private func set(_ state: RasterState) throws(SafelightError) {
    let box = state.viewport
    try gl.call("glViewport") {
      $0.glViewport(GLint(box.x), GLint(box.y), GLsizei(box.size.width), GLsizei(box.size.height))
    }
    if state.near != 0 || state.far != 1 { try gl.call("glDepthRangef") { $0.glDepthRangef(state.near, state.far) } }
    if let scissor = state.scissor {
      gl.table.glEnable(GLenum(GL_SCISSOR_TEST))
      try gl.call("glScissor") {
        $0.glScissor(GLint(scissor.x), GLint(scissor.y), GLsizei(scissor.size.width), GLsizei(scissor.size.height))
      }
    }
    if state.cullMode != .none {
      gl.table.glEnable(GLenum(GL_CULL_FACE))
      gl.table.glCullFace(GLenum(state.cullMode == .front ? GL_FRONT : GL_BACK))
    }
    gl.table.glFrontFace(state.frontFacing.glValue)
    try set(state.depthStencil)
    try setBlending(state)
  }

  private func setBlending(_ state: RasterState) throws(SafelightError) {
    let color = state.blendColor
    if color != [0, 0, 0, 0] { gl.table.glBlendColor(color[0], color[1], color[2], color[3]) }
    guard let first = state.attachments.first else { return }
    if state.attachmentsAgree {
      try setBlending(first)
    } else {
      for (index, attachment) in state.attachments.enumerated() { try setBlending(attachment, at: GLuint(index)) }
    }
  }

  private func setBlending(_ state: ColorAttachmentState) throws(SafelightError) {
    if state.writeMask != .all { gl.setColorMask(state.writeMask) }
    guard state.isBlendingEnabled else { return }
    gl.table.glEnable(GLenum(GL_BLEND))
    try gl.call("glBlendEquationSeparate") {
      $0.glBlendEquationSeparate(state.rgbBlendOperation.glValue, state.alphaBlendOperation.glValue)
    }
    try gl.call("glBlendFuncSeparate") {
      $0.glBlendFuncSeparate(
        state.sourceRGBBlendFactor.glValue, state.destinationRGBBlendFactor.glValue,
        state.sourceAlphaBlendFactor.glValue, state.destinationAlphaBlendFactor.glValue)
    }
  }

  /// The command was checked for ``DeviceFeatures/independentBlending``, so the functions exist.
  private func setBlending(_ state: ColorAttachmentState, at index: GLuint) throws(SafelightError) {
    try gl.call("glColorMaski") {
      $0.glColorMaski?(
        index, state.writeMask.glValue(.red), state.writeMask.glValue(.green), state.writeMask.glValue(.blue),
        state.writeMask.glValue(.alpha))
    }
    guard state.isBlendingEnabled else { return }
    gl.table.glEnablei?(GLenum(GL_BLEND), index)
    try gl.call("glBlendEquationSeparatei") {
      $0.glBlendEquationSeparatei?(index, state.rgbBlendOperation.glValue, state.alphaBlendOperation.glValue)
    }
    try gl.call("glBlendFuncSeparatei") {
      $0.glBlendFuncSeparatei?(
        index, state.sourceRGBBlendFactor.glValue, state.destinationRGBBlendFactor.glValue,
        state.sourceAlphaBlendFactor.glValue, state.destinationAlphaBlendFactor.glValue)
    }
  }

  /// Restores the state of all attachments at once: `glDisable` and `glColorMask` also reset what was set for one (ES
  /// 3.2 §15.1.2, §15.2.2).
  private func unset(_ state: RasterState) {
    unset(state.depthStencil)
    if state.near != 0 || state.far != 1 { gl.table.glDepthRangef(0, 1) }
    if state.scissor != nil { gl.table.glDisable(GLenum(GL_SCISSOR_TEST)) }
    if state.cullMode != .none { gl.table.glDisable(GLenum(GL_CULL_FACE)) }
    if state.blendColor != [0, 0, 0, 0] { gl.table.glBlendColor(0, 0, 0, 0) }
    if state.attachments.contains(where: \.isBlendingEnabled) { gl.table.glDisable(GLenum(GL_BLEND)) }
    if state.attachments.contains(where: { $0.writeMask != .all }) { gl.setColorMask(.all) }
  }
}

extension GLFunctions {
  fileprivate func setColorMask(_ mask: ColorWriteMask) {
    table.glColorMask(mask.glValue(.red), mask.glValue(.green), mask.glValue(.blue), mask.glValue(.alpha))
  }
}

extension ColorWriteMask {
  fileprivate func glValue(_ channel: ColorWriteMask) -> GLboolean { GLboolean(contains(channel) ? GL_TRUE : GL_FALSE) }
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

/// A factor of the blend equation; Metal's `MTLBlendFactor`.
public enum BlendFactor: String, Codable, Hashable, Sendable, CaseIterable {
  case zero, one, sourceColor, oneMinusSourceColor, sourceAlpha, oneMinusSourceAlpha, destinationColor
  case oneMinusDestinationColor, destinationAlpha, oneMinusDestinationAlpha, sourceAlphaSaturated
  case blendColor, oneMinusBlendColor, blendAlpha, oneMinusBlendAlpha

  var glValue: GLenum {
    switch self {
    case .zero: GLenum(GL_ZERO)
    case .one: GLenum(GL_ONE)
    case .sourceColor: GLenum(GL_SRC_COLOR)
    case .oneMinusSourceColor: GLenum(GL_ONE_MINUS_SRC_COLOR)
    case .sourceAlpha: GLenum(GL_SRC_ALPHA)
    case .oneMinusSourceAlpha: GLenum(GL_ONE_MINUS_SRC_ALPHA)
    case .destinationColor: GLenum(GL_DST_COLOR)
    case .oneMinusDestinationColor: GLenum(GL_ONE_MINUS_DST_COLOR)
    case .destinationAlpha: GLenum(GL_DST_ALPHA)
    case .oneMinusDestinationAlpha: GLenum(GL_ONE_MINUS_DST_ALPHA)
    case .sourceAlphaSaturated: GLenum(GL_SRC_ALPHA_SATURATE)
    case .blendColor: GLenum(GL_CONSTANT_COLOR)
    case .oneMinusBlendColor: GLenum(GL_ONE_MINUS_CONSTANT_COLOR)
    case .blendAlpha: GLenum(GL_CONSTANT_ALPHA)
    case .oneMinusBlendAlpha: GLenum(GL_ONE_MINUS_CONSTANT_ALPHA)
    }
  }
}

/// How source and destination are combined; Metal's `MTLBlendOperation`.
public enum BlendOperation: String, Codable, Hashable, Sendable, CaseIterable {
  /// Source + destination.
  case add
  /// Source − destination.
  case subtract
  /// Destination − source.
  case reverseSubtract
  /// The lesser of both, without factors.
  case min
  /// The greater of both, without factors.
  case max

  var glValue: GLenum {
    switch self {
    case .add: GLenum(GL_FUNC_ADD)
    case .subtract: GLenum(GL_FUNC_SUBTRACT)
    case .reverseSubtract: GLenum(GL_FUNC_REVERSE_SUBTRACT)
    case .min: GLenum(GL_MIN)
    case .max: GLenum(GL_MAX)
    }
  }
}

/// The channels that a draw may change; Metal's `MTLColorWriteMask`, with its values.
public struct ColorWriteMask: OptionSet, Codable, Hashable, Sendable {
  /// The bits.
  public let rawValue: UInt8

  /// Makes a mask from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Red may change.
  public static let red = ColorWriteMask(rawValue: 8)
  /// Green may change.
  public static let green = ColorWriteMask(rawValue: 4)
  /// Blue may change.
  public static let blue = ColorWriteMask(rawValue: 2)
  /// Alpha may change.
  public static let alpha = ColorWriteMask(rawValue: 1)
  /// All channels may change.
  public static let all: ColorWriteMask = [.red, .green, .blue, .alpha]
}

/// How a pipeline writes one color attachment; Metal's `MTLRenderPipelineColorAttachmentDescriptor`.
public struct ColorAttachmentState: Codable, Hashable, Sendable {
  /// The format of the attached texture; required.
  public var pixelFormat: PixelFormat?
  /// True if colors are blended with the stored ones instead of replacing them (`GL_BLEND`).
  public var isBlendingEnabled = false
  /// The factor of the fragment function's red, green and blue.
  public var sourceRGBBlendFactor = BlendFactor.one
  /// The factor of the stored red, green and blue.
  public var destinationRGBBlendFactor = BlendFactor.zero
  /// How red, green and blue are combined.
  public var rgbBlendOperation = BlendOperation.add
  /// The factor of the fragment function's alpha.
  public var sourceAlphaBlendFactor = BlendFactor.one
  /// The factor of the stored alpha.
  public var destinationAlphaBlendFactor = BlendFactor.zero
  /// How alpha is combined.
  public var alphaBlendOperation = BlendOperation.add
  /// The channels that may change (`glColorMask`).
  public var writeMask = ColorWriteMask.all

  /// Makes an attachment whose colors are replaced; its format is still to be set.
  public init() {}

  /// Describes an attachment whose colors are replaced.
  public init(pixelFormat: PixelFormat) { self.pixelFormat = pixelFormat }

  /// The state with a fixed format: what attachments must share on devices that blend all of them alike.
  package var withoutFormat: ColorAttachmentState {
    var same = self
    same.pixelFormat = .rgba8Unorm
    return same
  }
}
