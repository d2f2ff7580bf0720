internal import SafelightImage

/// One corner on its way through the Swift twin of a vertex function.
public struct VertexArguments {
  /// The corner's number: Metal's `[[vertex_id]]`, GLSL's `gl_VertexID`.
  public let vertexID: Int
  /// The instance's number: Metal's `[[instance_id]]`, `instanceID` in the function's text.
  public let instanceID: Int
  /// Textures, buffers and bytes of the vertex function.
  public let arguments: TwinArguments

  let fetch: VertexFetch

  /// The attribute at `location`; what its format lacks is 0, 0, 0, 1.
  public func attribute(_ location: Int) -> SIMD4<Float> { fetch.float(location, vertexID, instanceID) }

  /// The attribute at `location` as bits of 32-bit integers; what its format lacks is 0, 0, 0, 1.
  public func integerAttribute(_ location: Int) -> SIMD4<UInt32> { fetch.integer(location, vertexID, instanceID) }
}

/// What the twin of a vertex function makes of a corner.
public struct VertexOutput: Sendable {
  /// Where it lies, in Metal's clip space; GLSL's `gl_Position`.
  public var position: SIMD4<Float>
  /// What the fragment function gets, interpolated; in the order that its twin reads them.
  public var varyings: [SIMD4<Float>]

  /// A corner at `position`.
  public init(position: SIMD4<Float>, varyings: [SIMD4<Float>] = []) {
    self.position = position
    self.varyings = varyings
  }
}

/// One pixel on its way through the Swift twin of a fragment function; lives for one draw and changes from pixel to pixel.
public final class FragmentArguments {
  /// Column and row of the pixel's centre, depth and 1 / w: GLSL's `gl_FragCoord`.
  public internal(set) var position = SIMD4<Float>()
  /// Whether its triangle shows its front: GLSL's `gl_FrontFacing`.
  public internal(set) var isFrontFacing = true
  /// The vertex function's varyings, interpolated.
  public internal(set) var varyings: [SIMD4<Float>] = []
  /// Textures, buffers and bytes of the fragment function.
  public let arguments: TwinArguments

  /// The targets whose pixels the function reads, by index.
  private let targets: [Int: ColorTarget]

  init(_ arguments: TwinArguments, fetching targets: [Int: ColorTarget] = [:]) {
    self.arguments = arguments
    self.targets = targets
  }

  /// What the attachment at `index` of a normalised or float format holds at this pixel: Metal's `[[color(index)]]`, `inout vec4` in the
  /// function's text (`GL_EXT_shader_framebuffer_fetch`). Channels that the format lacks are 0, alpha 1.
  public func color(_ index: Int) -> SIMD4<Float> { target(index).color(Int(position.x), Int(position.y)) }

  /// The integers that the attachment at `index` holds at this pixel: `inout uvec4`.
  public func integerColor(_ index: Int) -> SIMD4<UInt32> {
    target(index).integers(Int(position.x), Int(position.y))
  }

  private func target(_ index: Int) -> ColorTarget {
    guard let target = targets[index] else {
      trap("attachment \(index) is not read by this function; declare its color inout in the text")
    }
    return target
  }
}

/// What the twin of a fragment function makes of a pixel.
public struct FragmentOutput {
  /// True where the pixel stays as it is; GLSL's `discard`.
  public var isDiscarded = false
  /// The depth, from 0 to 1; the triangle's where nil. GLSL's `gl_FragDepth`.
  public var depth: Float?
  var words = InlineArray<8, SIMD4<UInt32>>(repeating: SIMD4())

  /// Nothing yet: zeros.
  public init() {}

  /// A colour for attachment 0.
  public init(_ color: SIMD4<Float>) { self[0] = color }

  /// The colour for the attachment at `index`: red, green, blue, alpha of a normalised or float format.
  public subscript(_ index: Int) -> SIMD4<Float> {
    get { SIMD4(words[index].x.float, words[index].y.float, words[index].z.float, words[index].w.float) }
    set {
      words[index] = SIMD4(newValue.x.bitPattern, newValue.y.bitPattern, newValue.z.bitPattern, newValue.w.bitPattern)
    }
  }

  /// The integers for the attachment at `index` of an integer format.
  public subscript(integer index: Int) -> SIMD4<UInt32> {
    get { words[index] }
    set { words[index] = newValue }
  }
}

extension UInt32 {
  fileprivate var float: Float { Float(bitPattern: self) }
}
