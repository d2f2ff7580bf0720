public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// Replaces every sample by what a table has for its value; vImage's `vImageTableLookUp_ARGB8888`, Core Image's `CIColorMap`.
///
///     out = table(v),   for each channel its own
///
/// Alpha stays, unless it has a table. A gray picture goes through the table of red, its only channel, and one of two
/// channels through those of red and green.
///
/// Tables are made at the first use of a depth, and travel to a device once.
public struct ImageLookup: Sendable {
  private let tables: PipelineLibrary<SampleDepth, Texture>
  private let hasAlpha: Bool

  /// Makes the kernel for pictures of both depths; `make` is asked for the tables of each, once, when a picture needs them.
  ///
  /// - Parameter alpha: whether the tables have one for alpha.
  public init(device: Device, alpha: Bool = false, make: @escaping @Sendable (SampleDepth) -> ChannelTables) {
    hasAlpha = alpha
    tables = PipelineLibrary { depth in
      let made = make(depth)
      trap(
        unless: made.depth == depth && (made.alpha != nil) == alpha,
        """
        a look-up got tables of \(made.depth.rawValue) bits \(made.alpha == nil ? "without" : "with") one for alpha; \
        \(depth.rawValue) bits \(alpha ? "with" : "without") one were asked for
        """)
      return Texture(made)
    }
  }

  /// Makes the kernel for pictures of the tables' depth alone.
  public init(device: Device, tables: ChannelTables) {
    self.init(device: device, alpha: tables.alpha != nil) { _ in tables }
  }

  /// Records the kernel. Both textures need the same size and format, one of 8 or 16 bits a sample.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    let depth: SampleDepth = source.pixelFormat.bytesPerSample == 1 ? .bits8 : .bits16
    Self.encode(
      to: buffer, source: source, destination: destination, table: tables[depth], hasAlpha: hasAlpha, form: form,
      label: "lookup")
  }

  /// Records the look-up in `table`, made here or by the device.
  static func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture, table: Texture, hasAlpha: Bool, form: KernelForm,
    label: String
  ) {
    let format = source.pixelFormat
    trap(
      unless: PixelFormat.pointFormats.contains(format),
      "\(label) takes pictures of 8 and 16 bits, not '\(source.label)' of \(format.rawValue); convert it first")
    var bindings = Bindings()
    bindings.textures[2] = table
    kernels[Variant(format: format, lookedUp: min(format.samplesPerPixel, hasAlpha ? 4 : 3))]
      .encode(to: buffer, source: source, destination: destination, bindings: bindings, form: form, label: label)
  }

  // MARK: Functions

  private struct Variant: Hashable, Sendable {
    var format: PixelFormat
    var lookedUp: Int
  }

  private static let kernels = PipelineLibrary<Variant, PointFunction> { variant in
    PointFunction(
      name: "lookup", body: ShaderText(.lookup), format: variant.format,
      constants: [ShaderAssembly.Constant("LOOKED_UP", variant.lookedUp)], arguments: [.sampledTexture(2)],
      twin: twin(lookedUp: variant.lookedUp))
  }

  static func twin(lookedUp: Int) -> PointFunction.Twin {
    { arguments, source, destination in
      unsafe arguments.texture(2).withSamples(of: UInt16.self) { table in
        // Rows of 256 entries of four samples lie one after the other.
        func output(_ value: Int32, _ channel: Int) -> Int32 { unsafe Int32(table[Int(value) * 4 + channel]) }
        if lookedUp == 4 {
          walkPixels(from: source, to: destination) { pixel, _ in
            SIMD4(output(pixel.x, 0), output(pixel.y, 1), output(pixel.z, 2), output(pixel.w, 3))
          }
        } else {
          // Channels that a format lacks are not stored.
          walkPixels(from: source, to: destination) { pixel, _ in
            SIMD4(output(pixel.x, 0), output(pixel.y, 1), output(pixel.z, 2), pixel.w)
          }
        }
      }
    }
  }
}

extension Texture {
  /// Tables as `lookup.glsl` reads them.
  convenience init(_ tables: ChannelTables) {
    self.init(
      tables: [tables.red, tables.green, tables.blue, tables.alpha ?? .identity(tables.depth)].map(\.outputs),
      label: "look-up table")
  }

  /// Four tables of as many entries, a channel each: 256 columns of unsigned integers.
  convenience init(tables: [[UInt16]], label: String) {
    var samples: [UInt16] = []
    samples.reserveCapacity(tables[0].count * 4)
    for value in tables[0].indices { for table in tables { samples.append(table[value]) } }
    self.init(
      size: Size(256, tables[0].count / 256), pixelFormat: .rgba16Uint,
      contents: unsafe samples.withUnsafeBytes { unsafe Array($0) }, label: label)
  }

  /// The size of a look-up table.
  static func tableSize(_ depth: SampleDepth) -> Size { Size(256, (1 << depth.rawValue) / 256) }
}
