public import SafelightGPU
public import SafelightImage
internal import SafelightShaders

/// A kernel that replaces every sample `v` of a channel by `table(v)`; vImage's `vImageTableLookUp_ARGB8888`, Core
/// Image's `CIColorMap`.
///
/// Alpha stays, unless it has a table. A gray picture goes through the table of red, one of two channels through those
/// of red and green. Tables are made at the first use of a depth and uploaded to a device once.
public struct ImageLookup: Sendable {
  private let made = Memo<ChannelTables>()
  private let textures = Memo<Texture>()
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
    let format = source.pixelFormat
    Self.checkFormat(of: source, "lookup")
    let tables = made.value(format.depth) {
      let made = make(format.depth)
      trap(
        unless: made.depth == format.depth && (made.alpha != nil) == hasAlpha,
        """
        a look-up got tables of \(made.depth.rawValue) bits \(made.alpha == nil ? "without" : "with") one for alpha; \
        \(format.depth.rawValue) bits \(hasAlpha ? "with" : "without") one were asked for
        """)
      return made
    }
    PassRecorder.record(
      [.lookUp(in: tables, format, channels: hasAlpha ? 4 : 3)], of: "lookup", from: source, to: destination,
      in: buffer, form: form, tables: textures)
  }

  private static func checkFormat(of source: Texture, _ label: String) {
    let format = source.pixelFormat
    trap(
      unless: PixelFormat.pointFormats.contains(format),
      "\(label) takes pictures of 8 and 16 bits, not '\(source.label)' of \(format.rawValue); convert it first")
  }

  /// Records the look-up in `table`, which the device made.
  static func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture, table: Texture, form: KernelForm, label: String
  ) {
    let format = source.pixelFormat
    checkFormat(of: source, label)
    var bindings = Bindings()
    bindings.textures[2] = table
    TableLookUp(format: format).forms
      .encode(to: buffer, source: source, destination: destination, bindings: bindings, form: form, label: label)
  }
}

/// `lookup.glsl` with a table that another function makes.
struct TableLookUp: PointFunction {
  var format: PixelFormat

  private var lookedUp: Int { min(format.samplesPerPixel, 3) }

  static let shaders = [ShaderSource.lookup]
  /// Another than that of ``LookUpFunction``.
  static let names = ["table_lookup"]
  var body: ShaderText {
    ShaderText(
      name: "table of a look-up",
      contents: """
        layout(binding = 0) uniform SOURCE_TEXTURE source;
        layout(binding = 2) uniform usampler2D safelight_table;
        uvec4 table(ivec2 position) { return texelFetch(safelight_table, position, 0); }
        #include "\(ShaderSource.lookup.rawValue)"
        """)
  }
  var constants: [ShaderAssembly.Constant] { [.init("LOOKED_UP", lookedUp)] }
  var arguments: [ShaderArgument] { [.sampledTexture(2)] }

  static func captured(_ call: CapturedCall, _ format: PixelFormat) -> Self? {
    let function = Self(format: format)
    let isKnown =
      call["LOOKED_UP", 1...4] == function.lookedUp && call.hasTable(2, rows: format.depth.tableSize.height)
    return isKnown ? function : nil
  }

  func paint(_ arguments: TwinArguments, _ source: TextureMemory, _ destination: TextureMemory) {
    unsafe arguments.texture(2).withSamples(of: UInt16.self) { table in
      // Rows of 256 entries of four samples lie one after the other.
      func output(_ value: Int32, _ channel: Int) -> Int32 { unsafe Int32(table[Int(value) * 4 + channel]) }
      // Channels that a format lacks are not stored.
      walkPixels(from: source, to: destination) { pixel, _ in
        SIMD4(output(pixel.x, 0), output(pixel.y, 1), output(pixel.z, 2), pixel.w)
      }
    }
  }
}

extension ChannelTables: PassTable {
  package var size: Size { depth.tableSize }

  /// The tables as `lookup.glsl` reads them: one in each channel.
  package func entries() -> [UInt16] {
    let tables = [red, green, blue, alpha ?? .identity(depth)].map(\.outputs)
    var entries: [UInt16] = []
    entries.reserveCapacity(4 * size.area)
    for value in 0..<size.area { for table in tables { entries.append(table[value]) } }
    return entries
  }
}

extension SampleDepth {
  /// The columns and rows of a look-up table.
  var tableSize: Size { Size(256, (1 << rawValue) / 256) }
}
