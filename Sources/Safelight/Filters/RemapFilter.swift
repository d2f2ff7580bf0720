internal import SafelightImage
internal import SafelightKernels

/// `remap`: takes each pixel from where a picture of coordinates says.
struct RemapFilter: WarpKernel {
  var map = ""
  var steps = 0
  var sampling = WarpSampling()
  /// The picture of coordinates; nil until ``prepared()`` has read it.
  private var coordinates: CoordinatePicture?

  static let card = KernelCard<Self>(
    "remap", "takes each pixel from where a picture of coordinates says",
    discussion: """
      The map is a PNG of 16 bits with colors, as large as the result: red says the column from which a pixel comes,
      green the row. steps=16 counts 16 to a pixel, from the middle of the first; with steps=0 all samples count for the
      picture, from 0 at its left or upper edge to 65535 at the right or lower one, as ST maps of compositing programs
      have it (turn those whose rows begin below: flip=vertical and an inverted green).

      \(warpRules)

      map may be a data: address, data:;base64,iVBOR...
      """,
    [
      .file("map", "the picture of coordinates", \.map, form: "a PNG picture of 16 bits"),
      .integer("steps", "samples to a pixel; 0: 65535 to the picture", \.steps, in: 0...1024),
    ] + warpParameters,
    examples: [
      part, "remap=map='\(pixels)':steps=16", "\(part):mode=nearest:edge=clamp",
      "remap=map='\(pixels)':steps=11:mode=bicubic:edge=mirror", "\(part):mode=lanczos:color=gray:alpha=as-is",
    ])

  private static let part = "remap=map='\(parts)'"
  /// 6×5 positions from edge to edge, the rows from below, with noise.
  private static let parts =
    "data:;base64,iVBORw0KGgoAAAANSUhEUgAAAAYAAAAFEAIAAAC5qtbyAAAAtElEQVR42mNgYPg7n4HBeO03KwaG5NV/zzIwzJD9p8b"
    + "AcGb2VwMGhv8nvkQyMDCw7dqrysCgL7evhIEhsX7HVgaGOYx7tRgYTn/flw80YPvuf0BFTJmVPQwMemsbfRgYEnTrmxgYph0tT2JgOMd"
    + "XAVT6Y0nDTAYQsC1lYDAvtlRmYMh6a/MZaJ2EkwZQ0QW760Dr/ttXgBWxngIqOsEcz8CQchfEnzcdRB65DyJ/uDDxMzAAAG+SOK9jqJ8"
    + "AAAAAAElFTkSuQmCC"
  /// 7×4 positions in steps of a few.
  private static let pixels =
    "data:;base64,iVBORw0KGgoAAAANSUhEUgAAAAcAAAAEEAIAAACdNG5pAAAAhklEQVR42h3NoQ4BAQCH8e9GERS7dDPBNC9gLtoVhSB"
    + "4AumaCQTJFOWiYHNBuiCznSdQZY8gi75Tfun77w816kCfhk5p6YpQT0Ra0tE3XaXJUAfEOmekWxLNHcKTiX6YVWmbVGOWumCje9ZasNM"
    + "XB/2SVWmPs465aGoAR6564/6/LiEIeMAPm5YYHHiOxCcAAAAASUVORK5CYII="

  func prepared() throws -> Self {
    let picture = try InlineFile.picture(map)
    var filter = self
    filter.coordinates = [.rgb, .rgba].contains(picture.channels) ? CoordinatePicture(picture) : nil
    try ensure(
      filter.coordinates != nil, .input, "filter 'remap'",
      why: "its map is a picture of \(picture.depth == .bits8 ? "8 bits" : "grays"), which cannot hold coordinates",
      remedy: "give a PNG of 16 bits whose red is the column and green the row")
    return filter
  }

  /// That of the map.
  func output(of size: Size) -> Size { coordinates?.image.size ?? size }

  func map(of size: Size) -> WarpMap {
    guard let coordinates else {
      trap("remap was asked for its positions before it read its map; call prepared()")
    }
    return WarpMap(.picture(WarpCoordinates(coordinates, steps: steps, size: size)))
  }
}
