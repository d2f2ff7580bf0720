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
  private let textures = Memo<TiledTexture>()
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
  public func encode(
    to buffer: CommandBuffer, source: Texture, destination: Texture, pipeline: PipelineKind = .automatic
  ) {
    let format = source.pixelFormat
    trap(
      unless: PixelFormat.pointFormats.contains(format),
      "lookup takes pictures of 8 and 16 bits, not '\(source.label)' of \(format.rawValue); convert it first")
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
      in: buffer, pipeline: pipeline, constants: textures)
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
