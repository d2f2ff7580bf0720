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
  /// The fragment function; the twin of a full-screen one paints the whole target.
  public let fragment: ShaderFunction
  /// How attributes lie in vertex buffers.
  public let vertexDescriptor: VertexDescriptor
  /// What is written to each attachment; nil where any one attachment is written over.
  public let colorAttachments: [ColorAttachmentState]?
  /// The format of the pass's depth attachment; nil where it has none.
  public let depthAttachmentPixelFormat: PixelFormat?
  /// The format of the pass's stencil attachment; nil where it has none.
  public let stencilAttachmentPixelFormat: PixelFormat?
  /// Samples of a pixel in the attachments.
  public let rasterSampleCount: Int

  /// Pairs `fragment` with the corners of the full-screen strip, for one attachment of any format.
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

  /// Joins the functions of `descriptor`; throws where one is missing.
  public init(_ descriptor: RenderPipelineDescriptor) throws(SafelightError) {
    let fragmentFunction = descriptor.fragmentFunction ?? (descriptor.colorAttachments.isEmpty ? .colorless : nil)
    let name = descriptor.label.isEmpty ? fragmentFunction?.name ?? "pipeline" : descriptor.label
    guard let vertexFunction = descriptor.vertexFunction else { throw Self.missing("vertex", name) }
    guard let fragment = fragmentFunction else { throw Self.missing("fragment", name) }
    try vertexFunction.check(isA: .vertex)
    try fragment.check(isA: .fragment)
    descriptor.vertexDescriptor.check(name)
    label = name
    vertex = Self.stage(vertexFunction)
    self.vertexFunction = vertexFunction
    self.fragment = fragment
    vertexDescriptor = descriptor.vertexDescriptor
    colorAttachments = descriptor.colorAttachments
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
  /// Throws where it was written for another stage.
  fileprivate func check(isA type: FunctionType) throws(SafelightError) {
    guard let functionType, functionType != type else { return }
    throw SafelightError(
      .usage, name, why: "it is a \(functionType.rawValue) function, not a \(type.rawValue) function",
      remedy: "give the pipeline a function of each kind")
  }

  /// The corners of the full-screen strip: left-bottom, right-bottom, left-top, right-top, with `textureCoordinate` from the top-left
  /// as varying 0.
  public static let fullScreen = ShaderFunction(
    name: "fullScreen", assembly: ShaderAssembly([.fullScreen]), arguments: [], twin: .fullScreen)

  /// The functions that pipelines bring themselves.
  static let builtIn = [fullScreen, colorless]

  /// What pipelines without colours draw with: OpenGL ES links no program without a fragment function (ES 3.1 §7.3).
  static let colorless = ShaderFunction(
    name: "colorless", assembly: ShaderAssembly(texts: ["void main() {}"]), arguments: [],
    twin: ShaderTwin(fragment: { _ in FragmentOutput() }))
}

extension ShaderTwin {
  /// The corners of a strip over the whole target by their numbers: left-bottom, right-bottom, left-top, right-top, with texture
  /// coordinates from the top-left as varying 0.
  public static let fullScreen = ShaderTwin(vertex: { corner in
    let (x, y) = (Float(corner.vertexID & 1), Float(corner.vertexID >> 1))
    return VertexOutput(position: SIMD4(x * 2 - 1, y * 2 - 1, 0, 1), varyings: [SIMD4(x, 1 - y, 0, 0)])
  })
}

/// What a render pipeline consists of; Metal's `MTLRenderPipelineDescriptor`.
public struct RenderPipelineDescriptor: Sendable {
  /// A name for messages; the fragment function's where empty.
  public var label = ""
  /// Makes corners; needed. Its text writes `gl_Position` in Metal's clip space: x rightward and y upward from −1 to 1, z from 0
  /// to 1. `instanceID` is Metal's `[[instance_id]]`, `gl_VertexID` its `[[vertex_id]]`.
  public var vertexFunction: ShaderFunction?
  /// Makes colours; needed where there are colour attachments.
  public var fragmentFunction: ShaderFunction?
  /// How attributes lie in vertex buffers.
  public var vertexDescriptor = VertexDescriptor()
  /// What is written to the attachments of a pass, in their order, which is that of the fragment function's `location`s.
  public var colorAttachments: [ColorAttachmentState]
  /// The format of the pass's depth attachment; nil where it has none.
  public var depthAttachmentPixelFormat: PixelFormat?
  /// The format of the pass's stencil attachment; nil where it has none.
  public var stencilAttachmentPixelFormat: PixelFormat?
  /// Samples of a pixel in the attachments; 1 but for multisample textures.
  public var rasterSampleCount = 1

  /// Describes a pipeline for attachments of `pixelFormats`, which are written over; of none for depth and stencil alone.
  public init(vertex: ShaderFunction? = nil, fragment: ShaderFunction? = nil, pixelFormats: PixelFormat...) {
    vertexFunction = vertex
    fragmentFunction = fragment
    colorAttachments = pixelFormats.map { ColorAttachmentState(pixelFormat: $0) }
  }
}

/// Tests of depths and stencils, for ``RenderCommandEncoder/setDepthStencilState(_:)``; Metal's `MTLDepthStencilState`.
///
/// A value that stays as it is: any device takes it.
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
  /// Makes tests of depths and stencils; every device has them (`glDepthFunc`, `glStencilFuncSeparate`).
  public func makeDepthStencilState(_ descriptor: DepthStencilDescriptor) -> DepthStencilState {
    DepthStencilState(descriptor)
  }
}
