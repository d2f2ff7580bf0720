public import SafelightImage
internal import SafelightShaders

/// A kernel that equalizes a picture by the histograms of its surroundings and limits how much contrast grows: CLAHE,
/// equal to `cv2.createCLAHE` to the byte if all pixels count. Metal Performance Shaders has no such kernel.
///
/// A grid of tiles lies over the picture, even if that is larger than a texture. If it does not divide width *and*
/// height, both are lengthened to the next multiple with reflected pixels. Of each tile's counts, limited unless
/// `clip` is 0, a table is made. A sample becomes the mean of the entries for it in the tables of the four tiles around
/// it, weighted by the distance of their middles. The formulas are on the ``card``; the shaders do OpenCV's roundings
/// in integers.
public struct ImageContrastLimitedEqualization: PassKernel {
  /// The greatest count of a value in a tile, as a multiple of the mean count; 0 for no limit.
  public var clip = 40.0
  /// The number of tiles side by side.
  public var columns = 8
  /// The number of tiles one below the other.
  public var rows = 8
  /// The channels that are equalized.
  public var channels = HistogramInfo.Channels.each
  /// The pixels that are counted.
  public var counts = CountedPixels.visible

  /// Makes the kernel.
  public init() {}

  /// The possible numbers of columns and of rows.
  public static let gridRange = 1...16
  /// The possible clip limits. One above the number of entries limits nothing.
  public static let clipLimits = 0.0...65536.0

  /// Returns the greatest number of tiles for pictures of `depth`: in 16 bits their tables fill a texture of 2048×2048.
  public static func maximumTileCount(_ depth: SampleDepth) -> Int { depth == .bits8 ? 256 : 64 }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "clahe", "equalizes each area by its surroundings, with limited contrast (CLAHE)",
    discussion: """
      The bytes of cv2.createCLAHE(clip, (columns, rows)), 8 and 16 bits, on every device; of pictures with alpha with
      counts=all, as OpenCV counts invisible pixels too. Alpha stays.

      A grid of tiles lies over the picture. If it does not divide width and height, both are lengthened to the next
      multiple (by columns or rows if it already was one) with the picture's own pixels, reflected without its edge.
      With n the pixels of a tile, h(i) those of value i, entries 256 or 65536, maximum one less; fl() rounds to a
      32-bit float, nearest() to a whole number, halves to even:

          greatest = max(1, floor(clip * n / entries)), or none where clip is 0
          excess   = the sum of h(i) - greatest, where it is positive
          h'(i)    = min(h(i), greatest) + floor(excess / entries) + e(i)
          rest     = excess mod entries, stride = floor(entries / rest)
          e(i)     = 1 where i mod stride = 0 and i / stride < rest, else 0
          table(i) = nearest(fl(fl(h'(0) + ... + h'(i)) * fl(maximum / fl(n))))

      A sample is looked up in the tables of the four tiles around it, at the edges of two or one; with wx = 1 - vx
      and wy = 1 - vy the weights of the left and upper ones, rounded like the rest:

          u   = fl(fl(x * fl(1 / fl(width of a tile))) - 0.5), vx = fl(u - floor(u)); vy likewise
          out = nearest(fl(fl(fl(fl(t00 * wx) + fl(t10 * vx)) * wy) + fl(fl(fl(t01 * wx) + fl(t11 * vx)) * vy)))

      With channels=luma the luma Y = (19595*R + 38470*G + 7471*B + 32768) >> 16 of BT.601 is treated as a gray picture
      is and the chroma kept: d = out(Y) - Y, and R, G, B become clamp(v + d, 0, maximum).

      With counts=visible pixels of alpha 0 are not counted where alpha is straight. In a tile with only m of n pixels
      counted, m stands for n in table(i), and greatest becomes max(1, floor(greatest * m / n)); if none is,
      table(i) = i.

      Pictures of 16 bits have at most 64 tiles.
      """,
    [
      .number(
        "clip", "the limit to a value's count in a tile, in multiples of the mean; 0 for none", \.clip, in: clipLimits),
      .integer("columns", "tiles side by side", \.columns, in: gridRange),
      .integer("rows", "tiles one below the other", \.rows, in: gridRange),
      .choice("channels", "what is equalized", \.channels),
      .choice("counts", "the pixels that are counted", \.counts),
    ],
    // Few tiles, since a tile of 16 bits has 65536 entries a channel.
    examples: [
      "clahe=columns=2:rows=2", "clahe=clip=0:columns=3:rows=1", "clahe=clip=2.5:columns=4:rows=3:channels=luma",
      "clahe=clip=0.5:columns=1:rows=1", "clahe=columns=2:rows=2:counts=all",
    ])

  /// Integers of 8 and of 16 bits.
  public static let formats = PixelFormat.pointFormats

  /// Refuses more tiles than there may be for the picture's depth, and tiles whose pixels 32 bits do not count.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    let pixels = TileGrid(image.size, columns: columns, rows: rows).tileArea
    try ensure(
      pixels < 1 << 31, .limit, "clahe of \(columns)×\(rows) tiles",
      why: "a tile of a picture of \(image.size) has \(pixels) pixels, and at most \((1 << 31) - 1) are counted",
      remedy: "use more columns or rows")
    let limit = Self.maximumTileCount(image.depth)
    try ensure(
      columns * rows <= limit, .limit, "clahe of \(columns)×\(rows) tiles",
      why: "a picture of \(image.depth.rawValue) bits may have at most \(limit) tiles, since each needs a table of "
        + "65536 entries",
      remedy: "use fewer columns or rows, such as 8 and 8")
  }

  /// Counts each tile, makes a table of each, and mixes the entries of four.
  public func passes(for picture: PassPicture) -> [Pass] {
    let format = picture.pixelFormat
    let grid = TileGrid(picture.size, columns: columns, rows: rows)
    let variant = TileVariant(format, countsLuma: channels == .luma && format.samplesPerPixel == 4)
    let countsVisible = counts.leavesOutPixels(of: picture)
    return [
      Pass(
        TileCountFunction(variant: variant, countsVisible: countsVisible), uniforms: .block(TileCountBlock(grid)),
        inputs: [.source(.pixel)], output: .numbers(0, [.init(.sum, count: variant.tables.countWords(grid.count))]),
        threadgroups: grid.threadgroups),
      Pass(
        TileTableFunction(tables: variant.tables, countsVisible: countsVisible),
        uniforms: .block(TileTableBlock(grid, clip: clip, entries: variant.tables.entries)),
        inputs: [.numbers("counts", 0)], output: .table(0, variant.tables.size(grid.count)),
        threadgroups: Size(grid.count, 1)),
      Pass(
        TileLookUp(variant: variant),
        inputs: [
          .source(.pixel), .madeTable("table", 0), .table("columnWeights", TileWeights(axis: grid.columns, step: 1)),
          .table("rowWeights", TileWeights(axis: grid.rows, step: columns)),
        ]),
    ]
  }
}

extension HistogramInfo.Channels: ParameterWord {
  /// The choices that filters offer; the other channels serve only one rule.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.each, "each", "red, green and blue, each by its own histogram"),
    (.luma, "luma", "the luma; colors keep their chroma"),
  ]
}
