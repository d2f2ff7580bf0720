public import SafelightGLES
public import SafelightImage
public import SafelightShaders

/// A vertex and a fragment function ready to draw; Metal's `MTLRenderPipelineState`.
public final class RenderPipelineState: Sendable {
  /// A name for messages.
  public let label: String
  /// The complete text of the vertex stage, which turns Metal's clip space into GL's.
  public let vertex: ShaderAssembly
  /// The vertex function.
  public let vertexFunction: ShaderFunction
  /// The fragment function; in a full-screen pipeline its twin paints the whole target.
  public let fragment: ShaderFunction
  /// The layout of attributes in vertex buffers.
  public let vertexDescriptor: VertexDescriptor
  /// The format and blending of each attachment; nil for one attachment of any format, which is overwritten.
  public let colorAttachments: [ColorAttachmentState]?
  /// The format of the pass's depth attachment; nil if it has none.
  public let depthAttachmentPixelFormat: PixelFormat?
  /// The format of the pass's stencil attachment; nil if it has none.
  public let stencilAttachmentPixelFormat: PixelFormat?
  /// The samples of a pixel in the attachments.
  public let rasterSampleCount: Int

  /// Makes a pipeline that draws `fragment` on the full-screen strip, into one attachment of any format.
  public init(fullScreen fragment: ShaderFunction) {
    label = fragment.name
    vertexFunction = .fullScreen
    vertex = Self.stage(vertexFunction)
    self.fragment = fragment
    vertexDescriptor = VertexDescriptor()
    colorAttachments = nil
    depthAttachmentPixelFormat = nil
    stencilAttachmentPixelFormat = nil
    rasterSampleCount = 1
  }

  /// Makes a pipeline of the functions of `descriptor`; throws if one is missing.
  public init(_ descriptor: RenderPipelineDescriptor) throws(SafelightError) {
    let fragmentFunction = descriptor.fragmentFunction ?? (descriptor.colorAttachments.isEmpty ? .colorless : nil)
    let name = descriptor.label.isEmpty ? fragmentFunction?.name ?? "pipeline" : descriptor.label
    guard let vertexFunction = descriptor.vertexFunction else { throw Self.missing("vertex", name) }
    guard let fragment = fragmentFunction else { throw Self.missing("fragment", name) }
    try vertexFunction.check(isA: .vertex)
    try fragment.check(isA: .fragment)
    if let fault = descriptor.vertexDescriptor.fault(name) { trap(fault) }
    if let index = descriptor.colorAttachments.firstIndex(where: { $0.pixelFormat == nil }) {
      throw SafelightError(
        .usage, "render pipeline '\(name)'", why: "its color attachment \(index) has no pixel format",
        remedy: "set colorAttachments[\(index)].pixelFormat of its descriptor")
    }
    label = name
    vertex = Self.stage(vertexFunction)
    self.vertexFunction = vertexFunction
    self.fragment = fragment
    vertexDescriptor = descriptor.vertexDescriptor
    colorAttachments = Array(descriptor.colorAttachments)
    depthAttachmentPixelFormat = descriptor.depthAttachmentPixelFormat
    stencilAttachmentPixelFormat = descriptor.stencilAttachmentPixelFormat
    rasterSampleCount = descriptor.rasterSampleCount
  }

  private static func stage(_ function: ShaderFunction) -> ShaderAssembly {
    ShaderAssembly(
      [ShaderText(including: [.vertex])] + function.assembly.parts + [ShaderText(including: [.clipSpace])],
      constants: function.assembly.constants)
  }

  private static func missing(_ stage: String, _ name: String) -> SafelightError {
    SafelightError(
      .usage, "render pipeline '\(name)'", why: "it has no \(stage) function",
      remedy: "set \(stage)Function of its descriptor")
  }
}

extension ShaderFunction {
  fileprivate func check(isA type: FunctionType) throws(SafelightError) {
    guard let functionType, functionType != type else { return }
    throw SafelightError(
      .usage, name, why: "it is a \(functionType.rawValue) function, not a \(type.rawValue) function",
      remedy: "give the pipeline a vertex function and a fragment function")
  }

  /// Makes the corners of the full-screen strip: left-bottom, right-bottom, left-top, right-top. Varying 0 is
  /// `textureCoordinate`, with its origin at the top-left.
  public static let fullScreen = ShaderFunction(
    name: "fullScreen", assembly: ShaderAssembly([.fullScreen]), arguments: [], twin: .fullScreen)

  /// The functions that pipelines use by themselves.
  static let builtIn = [fullScreen, colorless]

  /// The fragment function of pipelines without colors, as OpenGL ES links no program without one (ES 3.1 §7.3).
  static let colorless = ShaderFunction(
    name: "colorless", assembly: ShaderAssembly(texts: ["void main() {}"]), arguments: [],
    twin: ShaderTwin(fragment: { _ in FragmentOutput() }))
}

extension ShaderTwin {
  /// The twin of ``ShaderFunction/fullScreen``.
  public static let fullScreen = ShaderTwin(vertex: { corner in
    let (x, y) = (Float(corner.vertexID & 1), Float(corner.vertexID >> 1))
    return VertexOutput(position: SIMD4(x * 2 - 1, y * 2 - 1, 0, 1), varyings: [SIMD4(x, 1 - y, 0, 0)])
  })
}

/// Describes a render pipeline; Metal's `MTLRenderPipelineDescriptor`.
public struct RenderPipelineDescriptor: Sendable {
  /// A name for messages; the fragment function's if empty.
  public var label = ""
  /// The function that computes corners; required. Its text writes `gl_Position` in Metal's clip space: x rightward and
  /// y upward from −1 to 1, z from 0 to 1. `instanceID` is Metal's `[[instance_id]]`, `gl_VertexID` its
  /// `[[vertex_id]]`.
  public var vertexFunction: ShaderFunction?
  /// The function that computes colors; required if there are color attachments.
  public var fragmentFunction: ShaderFunction?
  /// The layout of attributes in vertex buffers.
  public var vertexDescriptor = VertexDescriptor()
  /// The format and blending of the attachments of a pass, in the order of the fragment function's `location`s.
  public var colorAttachments: DescriptorArray<ColorAttachmentState>
  /// The format of the pass's depth attachment; nil if it has none.
  public var depthAttachmentPixelFormat: PixelFormat?
  /// The format of the pass's stencil attachment; nil if it has none.
  public var stencilAttachmentPixelFormat: PixelFormat?
  /// The samples of a pixel in the attachments; 1 unless they are multisample textures.
  public var rasterSampleCount = 1

  /// Describes a pipeline that overwrites attachments of `pixelFormats`; without formats it writes only depths and
  /// stencils.
  public init(vertex: ShaderFunction? = nil, fragment: ShaderFunction? = nil, pixelFormats: PixelFormat...) {
    vertexFunction = vertex
    fragmentFunction = fragment
    colorAttachments = DescriptorArray(pixelFormats.map { ColorAttachmentState(pixelFormat: $0) })
  }
}

extension ColorAttachmentState: DescriptorElement {}

/// Tests of depths and stencils, for ``RenderCommandEncoder/setDepthStencilState(_:)``; Metal's `MTLDepthStencilState`.
///
/// Immutable, and usable on any device.
public final class DepthStencilState: Sendable {
  /// A name for messages.
  public let label: String
  /// The tests.
  public let descriptor: DepthStencilDescriptor

  init(_ descriptor: DepthStencilDescriptor) {
    label = descriptor.label
    self.descriptor = descriptor
  }
}

extension Device {
  /// Makes depth and stencil tests, which every device supports (`glDepthFunc`, `glStencilFuncSeparate`).
  public func makeDepthStencilState(_ descriptor: DepthStencilDescriptor) -> DepthStencilState {
    DepthStencilState(descriptor)
  }
}
