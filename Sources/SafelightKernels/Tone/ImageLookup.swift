public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// A kernel that replaces every sample `v` of a channel by `table(v)`; vImage's `vImageTableLookUp_ARGB8888`, Core
/// Image's `CIColorMap`.
///
/// Alpha stays, unless it has a table. A gray picture goes through the table of red, one of two channels through those
/// of red and green. Tables are made at the first use of a depth and uploaded to a device once.
public struct ImageLookup: Sendable {
  private let tables = Memo<Texture>()
  private let make: @Sendable (SampleDepth) -> ChannelTables
  private let hasAlpha: Bool

  /// Makes the kernel for pictures of both depths. Calls `make` once for each depth, when a picture needs its tables;
  /// `alpha` says whether they include one for alpha.
  public init(device: Device, alpha: Bool = false, make: @escaping @Sendable (SampleDepth) -> ChannelTables) {
    hasAlpha = alpha
    self.make = make
  }

  /// Makes the kernel for pictures of the tables' depth.
  public init(device: Device, tables: ChannelTables) {
    self.init(device: device, alpha: tables.alpha != nil) { _ in tables }
  }

  /// Records the kernel. Both textures need the same size and format, one of 8 or 16 bits a sample.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    let depth = source.pixelFormat.depth
    let table = tables.value(depth) {
      let made = make(depth)
      trap(
        unless: made.depth == depth && (made.alpha != nil) == hasAlpha,
        """
        a look-up got tables of \(made.depth.rawValue) bits \(made.alpha == nil ? "without" : "with") one for alpha; \
        \(depth.rawValue) bits \(hasAlpha ? "with" : "without") one were asked for
        """)
      let channels = [made.red, made.green, made.blue, made.alpha ?? .identity(depth)]
      return Texture(tables: channels.map(\.outputs), label: "look-up table")
    }
    Self.encode(
      to: buffer, source: source, destination: destination, table: table, hasAlpha: hasAlpha, form: form,
      label: "lookup")
  }

  /// Records the look-up in `table`, which the CPU or the device made.
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
    TableLookUp(format: format, lookedUp: min(format.samplesPerPixel, hasAlpha ? 4 : 3)).forms
      .encode(to: buffer, source: source, destination: destination, bindings: bindings, form: form, label: label)
  }
}

/// `lookup.glsl`: looks the first channels up in a table.
struct TableLookUp: PointFunction {
  var format: PixelFormat
  var lookedUp: Int

  static let shaders = [ShaderSource.lookup]
  var constants: [ShaderAssembly.Constant] { [.init("LOOKED_UP", lookedUp)] }
  var arguments: [ShaderArgument] { [.sampledTexture(2)] }

  static func captured(_ call: CapturedCall, _ format: PixelFormat) -> Self? {
    guard let lookedUp = call["LOOKED_UP", min(format.samplesPerPixel, 3)...format.samplesPerPixel],
      call.hasTable(2, rows: format.depth.tableRows)
    else { return nil }
    return Self(format: format, lookedUp: lookedUp)
  }

  func paint(_ arguments: TwinArguments, _ source: TextureMemory, _ destination: TextureMemory) {
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

extension Texture {
  /// Makes four tables of the same length, as `lookup.glsl` reads them: one in each channel, 256 columns of unsigned
  /// integers.
  convenience init(tables: [[UInt16]], label: String) {
    var samples: [UInt16] = []
    samples.reserveCapacity(tables[0].count * 4)
    for value in tables[0].indices { for table in tables { samples.append(table[value]) } }
    self.init(
      size: Size(256, tables[0].count / 256), pixelFormat: .rgba16Uint,
      contents: unsafe samples.withUnsafeBytes { unsafe Array($0) }, label: label)
  }
}

extension SampleDepth {
  /// The rows of a look-up table of 256 columns.
  var tableRows: Int { (1 << rawValue) / 256 }
}
