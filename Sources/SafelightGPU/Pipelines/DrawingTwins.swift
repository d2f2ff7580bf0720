internal import SafelightImage

/// The arguments of the Swift twin of a vertex function, for one corner.
public struct VertexArguments {
  /// The corner's number: Metal's `[[vertex_id]]`, GLSL's `gl_VertexID`.
  public let vertexID: Int
  /// The instance's number: Metal's `[[instance_id]]`, `instanceID` in the function's text.
  public let instanceID: Int
  /// Textures, buffers and bytes of the vertex function.
  public let arguments: TwinArguments

  let fetch: VertexFetch

  /// Returns the attribute at `location`; components that its format lacks are those of (0, 0, 0, 1).
  public func attribute(_ location: Int) -> SIMD4<Float> { fetch.float(location, vertexID, instanceID) }

  /// Returns the attribute at `location` as bits of 32-bit integers; components that its format lacks are those of (0,
  /// 0, 0, 1).
  public func integerAttribute(_ location: Int) -> SIMD4<UInt32> { fetch.integer(location, vertexID, instanceID) }
}

/// The result of the Swift twin of a vertex function, for one corner.
public struct VertexOutput: Sendable {
  /// The position in Metal's clip space; GLSL's `gl_Position`.
  public var position: SIMD4<Float>
  /// Values that are interpolated for the fragment function, in the order in which its twin reads them.
  public var varyings: [SIMD4<Float>]

  /// Makes a corner at `position`.
  public init(position: SIMD4<Float>, varyings: [SIMD4<Float>] = []) {
    self.position = position
    self.varyings = varyings
  }
}

/// The arguments of the Swift twin of a fragment function, for one pixel. One object lives for a draw and changes for
/// each pixel.
public final class FragmentArguments {
  /// Column and row of the pixel's center, depth and 1 / w; GLSL's `gl_FragCoord`.
  public internal(set) var position = SIMD4<Float>()
  /// True if its triangle shows its front; GLSL's `gl_FrontFacing`.
  public internal(set) var isFrontFacing = true
  /// The vertex function's varyings, interpolated.
  public internal(set) var varyings: [SIMD4<Float>] = []
  /// Textures, buffers and bytes of the fragment function.
  public let arguments: TwinArguments

  /// The targets that the function reads, by index.
  private let targets: [Int: ColorTarget]

  init(_ arguments: TwinArguments, fetching targets: [Int: ColorTarget] = [:]) {
    self.arguments = arguments
    self.targets = targets
  }

  /// Returns this pixel of the attachment at `index`, of a normalized or float format: Metal's `[[color(index)]]`,
  /// `inout vec4` in the function's text (`GL_EXT_shader_framebuffer_fetch`). Channels that the format lacks are 0,
  /// alpha is 1.
  public func color(_ index: Int) -> SIMD4<Float> { target(index).color(Int(position.x), Int(position.y)) }

  /// Returns this pixel of the attachment at `index`, of an integer format: `inout uvec4`.
  public func integerColor(_ index: Int) -> SIMD4<UInt32> { target(index).integers(Int(position.x), Int(position.y)) }

  private func target(_ index: Int) -> ColorTarget {
    guard let target = targets[index] else {
      trap("attachment \(index) is not read by this function; declare its color inout in the GLSL")
    }
    return target
  }
}

/// The result of the Swift twin of a fragment function, for one pixel.
public struct FragmentOutput {
  /// True if the pixel stays unchanged; GLSL's `discard`.
  public var isDiscarded = false
  /// The depth from 0 to 1, or nil for the triangle's; GLSL's `gl_FragDepth`.
  public var depth: Float?
  var words = InlineArray<8, SIMD4<UInt32>>(repeating: SIMD4())

  /// Makes a result of zeros.
  public init() {}

  /// Makes a result with a color for attachment 0.
  public init(_ color: SIMD4<Float>) { self[0] = color }

  /// The color for the attachment at `index`, of a normalized or float format: red, green, blue, alpha.
  public subscript(_ index: Int) -> SIMD4<Float> {
    get { unsafe unsafeBitCast(words[index], to: SIMD4<Float>.self) }
    set { words[index] = unsafe unsafeBitCast(newValue, to: SIMD4<UInt32>.self) }
  }

  /// The integers for the attachment at `index`, of an integer format.
  public subscript(integer index: Int) -> SIMD4<UInt32> {
    get { words[index] }
    set { words[index] = newValue }
  }
}
