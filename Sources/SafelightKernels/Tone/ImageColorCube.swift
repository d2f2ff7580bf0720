public import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// Looks colors up in a ``ColorCube``, between its entries by tetrahedra; Core Image's `CIColorCube`, ffmpeg's `lut3d`.
///
/// Per channel `p = v · (size − 1)`; the cell is `floor(p / maximum)` and its part `f = p mod maximum`. With `f1 ≥ f2 ≥ f3` the parts in
/// falling order and `e0 … e3` the corners of the cell on the way from its least to its greatest, first along the axis of `f1`:
///
///     out = floor(((maximum − f1) · e0 + (f1 − f2) · e1 + (f2 − f3) · e2 + f3 · e3 + 32767) / 65535)
///
/// which is exact but for the one rounding: weights are parts of the maximum, and entries have 16 bits in every depth. Where the cube's
/// domain is not 0 to 1, a table makes positions of samples first, `floor(clamp((x − min) / (max − min), 0, 1) · s + 1/2)`, with `s`
/// 65535 in 16 bits and 65280 in 8 in the place of the maximum, and 65280 · 257 in that of 65535.
///
/// Alpha stays. Cubes travel to a device once.
public struct ImageColorCube: Sendable {
  /// The cube.
  public let cube: ColorCube
  private let entries: Texture
  private let positions: PipelineLibrary<SampleDepth, Texture>

  /// Makes the kernel.
  public init(device: Device, cube: ColorCube) {
    self.cube = cube
    entries = Texture(cube)
    positions = PipelineLibrary { depth in
      let planes = (0..<3).map { cube.positions(depth, channel: $0) }
      return Texture(tables: planes + [planes[0]], label: "positions in a cube")
    }
  }

  /// Records the kernel. Both textures need the same size and format, of four samples of 8 or 16 bits.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    let format = source.pixelFormat
    trap(
      unless: Self.takes(format),
      "a cube takes red, green, blue and alpha of 8 or 16 bits, not '\(source.label)' of \(format.rawValue); convert it first"
    )
    let hasDomain = !cube.hasWholeDomain
    var bindings = Bindings()
    bindings.textures[2] = entries
    if hasDomain { bindings.textures[3] = positions[format.bytesPerSample == 1 ? .bits8 : .bits16] }
    bindings.setBytes(SIMD4<UInt32>(UInt32(cube.size), 0, 0, 0), index: 4)
    Self.library[Variant(format: format, hasDomain: hasDomain)]
      .encode(to: buffer, source: source, destination: destination, bindings: bindings, form: form, label: "color cube")
  }

  static func takes(_ format: PixelFormat) -> Bool {
    PixelFormat.pointFormats.contains(format) && format.samplesPerPixel == 4
  }

  // MARK: Functions

  private struct Variant: Hashable, Sendable {
    var format: PixelFormat
    var hasDomain: Bool
  }

  private static let library = PipelineLibrary<Variant, PointFunction> { variant in
    PointFunction(
      name: "color_cube", body: ShaderText(.colorCube), format: variant.format,
      constants: [ShaderAssembly.Constant("HAS_DOMAIN", variant.hasDomain)],
      arguments: [.sampledTexture(2)] + (variant.hasDomain ? [.sampledTexture(3)] : []) + [.bytes(4)],
      twin: twin(hasDomain: variant.hasDomain))
  }
}
