public import SafelightGPU
public import SafelightImage

/// A kernel that equalizes a picture by the histograms of its surroundings and limits how much contrast grows: CLAHE,
/// equal to `cv2.createCLAHE` to the byte if all pixels count. Metal Performance Shaders has no such kernel.
///
/// A grid of tiles lies over the picture. If it does not divide width *and* height, both are lengthened to the next
/// multiple with reflected pixels. Of each tile's counts, limited unless `clipLimit` is 0, a table is made. A sample
/// becomes the mean of the entries for it in the tables of the four tiles around it, weighted by the distance of their
/// middles. The page Equalization has the formulas; the shaders do OpenCV's roundings in integers.
///
/// Of tiles in which only some pixels are counted, their number stands for that of the tile's pixels, and the limit
/// falls with it; a tile in which none is has the table that changes nothing.
///
/// Alpha stays. With ``HistogramInfo/Channels/luma`` the luma of ITU-R BT.601 is equalized like a gray picture and
/// chroma kept, as by ``ImageHistogramEqualization``. Command buffers that use one instance must be committed in the
/// order in which they were recorded.
public final class ImageContrastLimitedEqualization: Sendable {
  /// The number of tiles side by side.
  public let columns: Int
  /// The number of tiles one below the other.
  public let rows: Int
  /// The greatest count of a value in a tile, as a multiple of the mean count; 0 for no limit.
  public let clipLimit: Double
  /// The channels that are equalized.
  public let channels: HistogramInfo.Channels
  /// The pixels that are counted, as by ``ImageHistogram``.
  public let pixels: CountedPixels

  /// The possible numbers of columns and of rows.
  public static let gridRange = 1...16
  /// The possible clip limits. One above the number of entries limits nothing.
  public static let clipLimits = 0.0...65536.0

  /// Returns the greatest number of tiles for pictures of `depth`: in 16 bits their tables fill a texture of 2048×2048.
  public static func maximumTileCount(_ depth: SampleDepth) -> Int { depth == .bits8 ? 256 : 64 }

  private typealias Memory = (counts: Buffer, tables: Texture)
  /// For the depths that allow the number of tiles.
  private let memories: [SampleDepth: Memory]

  /// Makes the kernel; traps on arguments outside their ranges.
  public init(
    device: Device, columns: Int = 8, rows: Int = 8, clipLimit: Double = 40, channels: HistogramInfo.Channels = .each,
    pixels: CountedPixels = .all
  ) throws(SafelightError) {
    trap(
      unless: Self.gridRange.contains(columns) && Self.gridRange.contains(rows),
      "a grid of \(columns)×\(rows) tiles is out of range; use \(Self.gridRange) columns and rows")
    trap(unless: Self.clipLimits.contains(clipLimit), "clip limit \(clipLimit) lies outside \(Self.clipLimits)")
    self.columns = columns
    self.rows = rows
    self.clipLimit = clipLimit
    self.channels = channels
    self.pixels = pixels
    var memories: [SampleDepth: Memory] = [:]
    for depth in SampleDepth.allCases where columns * rows <= Self.maximumTileCount(depth) {
      let tables = TileTables(sampleBits: depth.rawValue, planes: 3)
      memories[depth] = (
        counts: try device.makeBuffer(
          length: tables.countWords(columns * rows) * 4, label: "counts of tiles, \(depth.rawValue) bits"),
        tables: Texture(size: tables.size(columns * rows), pixelFormat: .rgba16Uint, label: "tables of tiles")
      )
    }
    self.memories = memories
  }

  /// A part of a picture that is larger than a texture.
  public struct Part: Sendable {
    /// The part's place in the picture.
    public let region: Region
    /// The part's pixels.
    public let source: Texture
    /// The texture that takes the result.
    public let destination: Texture

    /// Joins textures of the region's size and of one format.
    public init(region: Region, source: Texture, destination: Texture) {
      self.region = region
      self.source = source
      self.destination = destination
    }
  }

  /// Records the kernel. Both textures need the same size and format; ``maximumTileCount(_:)`` limits the tiles.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    let part = Part(region: Region(size: source.size), source: source, destination: destination)
    encode(to: buffer, parts: [part], of: source.size, form: form)
  }

  /// Records the kernel for a picture of `size` that consists of `parts`.
  public func encode(to buffer: CommandBuffer, parts: [Part], of size: Size, form: KernelForm = .automatic) {
    encode(to: buffer, parts: parts, of: size, form: form, pixels)
  }

  /// Records the kernel for a picture of any size.
  package func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture, form: KernelForm) {
    let parts = zip(source.tiles, destination.tiles).map { from, to in
      Part(region: from.region, source: from.texture, destination: to.texture)
    }
    encode(to: buffer, parts: parts, of: source.size, form: form, source.mayHidePixels ? pixels : .all)
  }

  private func encode(
    to buffer: CommandBuffer, parts: [Part], of size: Size, form: KernelForm, _ pixels: CountedPixels
  ) {
    guard let format = parts.first?.source.pixelFormat else { return }
    trap(
      unless: PixelFormat.pointFormats.contains(format),
      "CLAHE takes samples of 8 and of 16 bits, not \(format.rawValue)")
    guard let memory = memories[format.depth] else {
      trap(
        "\(columns)×\(rows) tiles of \(format.rawValue) are too many; use at most \(Self.maximumTileCount(.bits16)) "
          + "for 16 bits")
    }
    let grid = TileGrid(size, columns: columns, rows: rows)
    let variant = TileVariant(format: format, countsLuma: channels == .luma && format.samplesPerPixel == 4)
    let tables = variant.tables
    let countsVisible = pixels.countsVisible(of: format)
    buffer.zero(memory.counts, range: 0..<tables.countWords(grid.count) * 4, label: "zero counts of tiles")
    buffer.compute("counts of tiles") { encoder in
      encoder.setComputePipelineState(TileCountFunction(variant: variant, countsVisible: countsVisible).computePipeline)
      encoder.setBuffer(memory.counts, index: 1)
      for part in parts {
        encoder.setTexture(part.source, index: 0)
        let areas = grid.parts(of: part.region)
        for first in stride(from: 0, to: areas.count, by: TileVariant.partsPerDispatch) {
          let areas = areas[first..<min(first + TileVariant.partsPerDispatch, areas.count)]
          encoder.bindings.bytes[2] = variant.block(areas)
          let threads = Size(areas.map(\.area.size.width).max() ?? 1, areas.map(\.area.size.height).max() ?? 1)
          encoder.dispatchThreadgroups(
            threads.dividedCovering(Size(64, 64)), depth: areas.count, threadsPerThreadgroup: Size(64, 1))
        }
      }
    }
    buffer.compute("tables of tiles") { encoder in
      let limit = max(1, min(clipLimit * Double(grid.tileArea) / Double(tables.entries), Double(UInt32.max)))
      let scale = Float(tables.entries - 1) / Float(grid.tileArea)
      encoder.setComputePipelineState(
        TileTableFunction(tables: tables, countsVisible: countsVisible).computePipeline)
      encoder.setBuffer(memory.counts, index: 0)
      encoder.setTexture(memory.tables, index: 1)
      encoder.setBytes(
        SIMD4<UInt32>(clipLimit > 0 ? UInt32(limit) : .max, scale.bitPattern, UInt32(grid.tileArea), 0), index: 2)
      encoder.dispatchThreadgroups(Size(grid.count, 1), threadsPerThreadgroup: Size(64, 1))
    }
    for part in parts {
      let (size, bytes) = grid.weights(of: part.region)
      let weights = Texture(size: size, pixelFormat: .rgba16Uint, label: "weights of tiles")
      buffer.blit("weights of tiles") { $0.write(bytes, to: weights) }
      var bindings = Bindings()
      bindings.textures[2] = memory.tables
      bindings.textures[3] = weights
      bindings.setBytes(SIMD4<UInt32>(UInt32(columns), UInt32(rows), 0, 0), index: 4)
      TileLookUp(variant: variant).forms.encode(
        to: buffer, source: part.source, destination: part.destination, bindings: bindings, form: form, label: "CLAHE")
    }
  }
}
