public import SafelightGLES
public import SafelightImage

extension Command {
  /// A draw of one pass.
  public struct Draw: Sendable {
    /// The functions.
    public var pipeline: RenderPipelineState
    /// The targets and how they begin.
    public var pass: RenderPassDescriptor
    /// What the fragment function is bound to.
    public var bindings = Bindings()
    /// What the vertex function is bound to, and the vertex buffers.
    public var vertexBindings = Bindings()
    /// The fixed functions.
    public var state = RenderState()
    /// The shapes that corners make.
    public var primitives: PrimitiveType
    /// The corners.
    public var vertices: Vertices
    /// The instances.
    public var instances: Range<Int>

    /// Which corners are drawn.
    public enum Vertices: Sendable {
      /// One after the other.
      case consecutive(start: Int, count: Int)
      /// In the order of a buffer.
      case indexed(Indices, count: Int, baseVertex: Int)
      /// As a buffer says.
      case indirect(Buffer, offset: Int)
      /// As a buffer says, in the order of another.
      case indexedIndirect(Indices, Buffer, offset: Int)
    }

    /// Indices in a buffer.
    public struct Indices: Sendable {
      /// The buffer.
      public var buffer: Buffer
      /// Bytes of an index.
      public var type: IndexType
      /// The first byte.
      public var offset: Int
    }
  }
}

/// What a render encoder sets beside functions and their arguments.
public struct RenderState: Codable, Hashable, Sendable {
  /// Where clip space is spread; nil for the whole target.
  public var viewport: Viewport?
  /// The only pixels that change; nil for all.
  public var scissor: Region?
  /// Which triangles are left out.
  public var cullMode = CullMode.none
  /// Which way round fronts turn.
  public var frontFacing = Winding.clockwise
  /// Red, green, blue and alpha of the factors `blendColor` and `blendAlpha`.
  public var blendColor = SIMD4<Float>()
  /// Tests of depths and stencils; nil for none.
  public var depthStencil: DepthStencilDescriptor?
  /// What stencils are compared with; nil for 0.
  public var stencilReferences: StencilReferences?
  /// What is added to depths; nil for nothing.
  public var depthBias: DepthBias?
  /// What becomes of triangles beyond the near and far planes; nil for cutting them off.
  public var depthClipMode: DepthClipMode?
  /// The byte of the pass's visibility buffer that the draws answer to; nil for none.
  public var visibilityOffset: Int?
  /// The grid of corners on the device that the draw was recorded for (``RenderLimits/subpixelBits``), which the Swift
  /// twins follow; nil for 8.
  public var subpixelBits: Int?
}

/// Where clip space is spread over a target, from its top-left corner; Metal's `MTLViewport` (`glViewport`, `glDepthRangef`).
///
/// Columns and rows are whole numbers: OpenGL ES has no others.
public struct Viewport: Codable, Hashable, Sendable {
  public var originX, originY, width, height: Double
  /// The depths of clip space's z of 0 and of 1, from 0 to 1 themselves; `znear` may be the greater.
  public var znear, zfar: Double

  /// Describes a rectangle, which may reach beyond the target.
  public init(originX: Double, originY: Double, width: Double, height: Double, znear: Double = 0, zfar: Double = 1) {
    (self.originX, self.originY, self.width, self.height) = (originX, originY, width, height)
    (self.znear, self.zfar) = (znear, zfar)
  }

  /// The rectangle in whole pixels; nil where it is none.
  var region: Region? {
    // GLint and GLsizei.
    guard let x = Int32(exactly: originX), let y = Int32(exactly: originY), let width = Int32(exactly: width),
      let height = Int32(exactly: height), width > 0, height > 0
    else { return nil }
    return Region(x: Int(x), y: Int(y), width: Int(width), height: Int(height))
  }

  /// Whether GL takes the depths as they are; it cuts others off (ES 3.2 §12.6).
  var hasDepths: Bool { (0...1).contains(znear) && (0...1).contains(zfar) }
}

extension Command.Draw {
  /// What a draw that passes a pixel writes: a 64-bit 1, as in Metal.
  static var visible: [UInt8] { [1, 0, 0, 0, 0, 0, 0, 0] }

  /// The functions with what they are bound to.
  var functions: [BoundFunction] {
    [
      BoundFunction(function: pipeline.vertexFunction, bindings: vertexBindings),
      BoundFunction(function: pipeline.fragment, bindings: bindings),
    ]
  }

  /// Where the draw says whether any of its pixels passed.
  var visibilityTarget: (Buffer, offset: Int)? {
    guard let buffer = pass.visibilityResultBuffer, let offset = state.visibilityOffset else { return nil }
    return (buffer, offset)
  }

  /// The state as GL has it.
  var rasterState: RasterState {
    var raster = RasterState(viewport: state.viewport?.region ?? Region(size: pass.size))
    if let viewport = state.viewport { (raster.near, raster.far) = (Float(viewport.znear), Float(viewport.zfar)) }
    raster.subpixelBits = state.subpixelBits ?? raster.subpixelBits
    raster.scissor = state.scissor
    raster.cullMode = state.cullMode
    raster.frontFacing = state.frontFacing
    let color = state.blendColor
    raster.blendColor = [color.x, color.y, color.z, color.w]
    raster.depthStencil.tests = state.depthStencil
    raster.depthStencil.references = state.stencilReferences ?? StencilReferences()
    raster.depthStencil.bias = state.depthBias ?? DepthBias()
    raster.depthStencil.clipMode = state.depthClipMode ?? .clip
    raster.attachments = pipeline.colorAttachments ?? []
    return raster
  }
}
