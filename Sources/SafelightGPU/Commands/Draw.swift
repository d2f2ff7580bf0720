package import SafelightGLES
package import SafelightImage

extension Command {
  package struct Draw: Sendable {
    package var pipeline: RenderPipelineState
    package var pass: RenderPassDescriptor
    /// The arguments of the fragment function.
    package var bindings = Bindings()
    /// The arguments of the vertex function, and the vertex buffers.
    var vertexBindings = Bindings()
    var state = RenderState()
    var primitives: PrimitiveType
    var vertices: Vertices
    var instances: Range<Int>

    package enum Vertices: Sendable {
      case consecutive(start: Int, count: Int)
      case indexed(Indices, count: Int, baseVertex: Int)
      /// With arguments in a buffer.
      case indirect(Buffer, offset: Int)
      /// With indices, and arguments in another buffer.
      case indexedIndirect(Indices, Buffer, offset: Int)
    }

    package struct Indices: Sendable {
      var buffer: Buffer
      var type: IndexType
      var offset: Int
    }
  }
}

/// The state of a render encoder apart from functions and their arguments.
package struct RenderState: Codable, Hashable, Sendable {
  /// The rectangle to which clip space is mapped; nil for the whole target.
  package var viewport: Viewport?
  /// The only pixels that change; nil for all.
  package var scissor: Region?
  package var cullMode = CullMode.none
  package var frontFacing = Winding.clockwise
  /// Red, green, blue and alpha of the factors `blendColor` and `blendAlpha`.
  package var blendColor = SIMD4<Float>()
  package var depthStencil: DepthStencilDescriptor?
  /// The reference values of stencil tests; nil for 0.
  package var stencilReferences: StencilReferences?
  package var depthBias: DepthBias?
  /// The treatment of triangles beyond the near and far planes; nil for clipping.
  package var depthClipMode: DepthClipMode?
  /// The offset in the pass's visibility buffer to which draws report; nil for none.
  package var visibilityOffset: Int?
  /// The recording device's grid (``RenderLimits/subpixelBits``), which the Swift twins follow; nil for 8.
  package var subpixelBits: Int?

  /// Why it is invalid in `pass`, and the remedy; nil if it is valid.
  func fault(in pass: RenderPassDescriptor) -> String? {
    if let viewport {
      if viewport.region == nil {
        return "set a viewport of \(viewport.width)×\(viewport.height) at (\(viewport.originX), \(viewport.originY)); "
          + "OpenGL ES takes whole numbers below 2147483648, width and height above 0"
      }
      if !viewport.hasDepths {
        return "set a viewport of depths from \(viewport.znear) to \(viewport.zfar); use numbers from 0 to 1"
      }
    }
    if let scissor, !scissor.isInside(pass.size) {
      return "set a scissor of \(scissor), outside its target of \(pass.size); clip it to the target first"
    }
    if let bias = depthBias, ![bias.bias, bias.slopeScale, bias.clamp].allSatisfy(\.isFinite) {
      return "set a depth bias of \(bias.bias), \(bias.slopeScale), \(bias.clamp); use finite numbers"
    }
    guard let offset = visibilityOffset else { return nil }
    guard let buffer = pass.visibilityResultBuffer else {
      return "tests visibility without a buffer for the results; set visibilityResultBuffer of the pass"
    }
    return refusal(
      unless: offset >= 0 && offset % 8 == 0 && offset <= buffer.length - 8,
      "writes visibility at byte \(offset) of '\(buffer.label)' of \(buffer.length) bytes; use a multiple of 8, at "
        + "least 8 bytes before the end")
  }
}

/// The rectangle of a target to which clip space is mapped, from the top-left corner; Metal's `MTLViewport`
/// (`glViewport`, `glDepthRangef`).
///
/// Columns and rows are whole numbers, as OpenGL ES requires.
public struct Viewport: Codable, Hashable, Sendable {
  /// The left column and the top row.
  public var originX, originY: Double
  /// The number of columns and rows.
  public var width, height: Double
  /// The depths of z = 0 and z = 1 in clip space, each from 0 to 1; `znear` may be the greater.
  public var znear, zfar: Double

  /// Describes a rectangle, which may reach beyond the target.
  public init(originX: Double, originY: Double, width: Double, height: Double, znear: Double = 0, zfar: Double = 1) {
    (self.originX, self.originY, self.width, self.height) = (originX, originY, width, height)
    (self.znear, self.zfar) = (znear, zfar)
  }

  /// The rectangle in whole pixels; nil if it is not one.
  var region: Region? {
    // GLint and GLsizei.
    guard let x = Int32(exactly: originX), let y = Int32(exactly: originY), let width = Int32(exactly: width),
      let height = Int32(exactly: height), width > 0, height > 0
    else { return nil }
    return Region(x: Int(x), y: Int(y), width: Int(width), height: Int(height))
  }

  /// True if OpenGL uses the depths unchanged; it clamps others (ES 3.2 §12.6).
  var hasDepths: Bool { (0...1).contains(znear) && (0...1).contains(zfar) }
}

extension Command.Draw {
  /// The value that a draw with a passing pixel writes: a 64-bit 1, as in Metal.
  static var visible: [UInt8] { [1, 0, 0, 0, 0, 0, 0, 0] }

  var functions: [BoundFunction] {
    [
      BoundFunction(function: pipeline.vertexFunction, bindings: vertexBindings),
      BoundFunction(function: pipeline.fragment, bindings: bindings),
    ]
  }

  /// The place to which the draw reports whether any of its pixels passed.
  var visibilityTarget: (Buffer, offset: Int)? {
    guard let buffer = pass.visibilityResultBuffer, let offset = state.visibilityOffset else { return nil }
    return (buffer, offset)
  }

  var rasterState: RasterState {
    var raster = RasterState(viewport: state.viewport?.region ?? Region(size: pass.size))
    if let viewport = state.viewport { (raster.near, raster.far) = (Float(viewport.znear), Float(viewport.zfar)) }
    raster.subpixelBits = state.subpixelBits ?? raster.subpixelBits
    raster.scissor = state.scissor
    raster.cullMode = state.cullMode
    raster.frontFacing = state.frontFacing
    raster.blendColor = (0..<4).map { state.blendColor[$0] }
    raster.depthStencil.tests = state.depthStencil
    raster.depthStencil.references = state.stencilReferences ?? StencilReferences()
    raster.depthStencil.bias = state.depthBias ?? DepthBias()
    raster.depthStencil.clipMode = state.depthClipMode ?? .clip
    raster.attachments = pipeline.colorAttachments ?? []
    return raster
  }
}
