internal import SafelightGPU
internal import SafelightImage
internal import SafelightKernels

/// `over`: lays a picture from a file, or a second picture, over each frame, as ``ImageRenderer`` does.
struct OverFilter: PlacedPictureKernel {
  var image = ""
  var x = 0
  var y = 0
  var gravity = Gravity.northwest
  var opacity = 1.0
  var mayLieOutside = false
  /// The picture, by the depths of frames that it serves; empty until ``prepared()`` has read it.
  private var pictures: [SampleDepth: Image] = [:]

  static let card = KernelCard<Self>(
    "over", "lays a picture over the frame: a logo, a frame, a watermark",
    discussion: """
      Source-over with straight alpha (Porter and Duff 1984; W3C Compositing and Blending Level 1, 5.1). With alphas S
      of the picture and B of the frame, and the share k of the frame as a whole sample:

          S = floor((S * opacity + 32768) / 65536)                with opacity in 65536ths
          k = floor((B * (maximum - S) + floor(maximum / 2)) / maximum),  A = S + k
          out = floor((S * picture + k * frame + floor(A / 2)) / A),  with alpha A

      If A is 0 the frame stays. The picture keeps its size, and lies at the edge or corner that gravity names: x
      columns and y rows from there inward, negative ones outside, or so many to the right of the middle and below it.
      logo.png:gravity=northeast:x=8:y=8 lies in the upper right corner. Parts beyond the frame are cut off; a picture
      wholly outside is refused, but for one that moves over time.
      A picture of 8 bits serves frames of 16 too (v becomes 257 * v); samples are taken as they are stored, whatever
      their color space.

      image may be a data: address, data:;base64,iVBOR...

      \(secondSequences)
      Each may have a size of its own, or with fit that of the frames, and has its place by x and y then.
      """,
    [
      .file("image", "the picture, the same for all frames", \.image, form: "a PNG picture", isRequired: false),
      .integer("x", "columns between it and the edge, or to the right of the middle", \.x, in: -(1 << 24)...1 << 24),
      .integer("y", "rows between it and the edge, or below the middle", \.y, in: -(1 << 24)...1 << 24),
      .choice("gravity", "the edge or corner at which it lies", \.gravity),
      .number("opacity", "the factor for the picture's alpha", \.opacity, in: 0...1),
    ],
    examples: [
      speck, "\(speck):x=-2:y=3", "\(speck):x=14:y=13", "over=image='\(gray)':x=2:y=-1", "over=x=3:y=-1",
      "\(speck):opacity=0.6:gravity=southeast:x=2:y=-1", "over=image='\(gray)':x=2:opacity=0.3", "over=opacity=0.7",
    ],
    secondPicture: "in place of image, the picture or the pictures that go with the frames")

  private static let speck = "over=image='\(speckled)'"
  /// 5×4 pixels of eight alphas, and of many colors.
  private static let speckled =
    "data:;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAECAYAAABGM/VAAAAAX0lEQVR42gFUAKv/AAAo/wAlg/L/St7lAW852P6"
    + "UlMuAALnvvn/eSrFAA6WkyCgAlwBNW4r/AHK2fQGXEXD+vGxjgOHHVn8GIklAACt9PMhQ2C8AdTMi/5qOFQG/6Qj+lmombyYDc18"
    + "AAAAASUVORK5CYII="
  /// 4×3 opaque grays.
  private static let gray =
    "data:;base64,iVBORw0KGgoAAAANSUhEUgAAAAQAAAADCAAAAACRn/EaAAAAF0lEQVR42mNgMEqZxuBbv/Exw6wz/wwAJYkGIeA"
    + "ZOOkAAAAASUVORK5CYII="

  static let formats = ImageRenderer.formats

  var hasPictureOfItsOwn: Bool { !image.isEmpty }

  func prepared() throws -> Self {
    if image.isEmpty { return self }
    var filter = self
    let picture = try InlineFile.picture(image)
    filter.pictures = [picture.depth: picture]
    // A picture of 8 bits serves both depths.
    if picture.depth == .bits8 { filter.pictures[.bits16] = picture.of16Bits }
    return filter
  }

  /// Requires straight alpha and full range, as the picture has.
  func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    guard color.alpha != .premultiplied else { throw color.mismatch(Self.card.name, made: "straight alpha") }
    return try color.ofFullRange(for: Self.card.name)
  }

  func check(_ frame: ImageDescriptor) throws(SafelightError) {
    guard let picture = pictures[.bits8] ?? pictures[.bits16] else { return }
    try frame.check(beside: picture.descriptor, of: Self.card.name)
    try checkPlace(of: picture.size, in: frame.size)
  }

  func checkPlace(of size: Size, in frame: Size) throws(SafelightError) {
    let bounds = place(of: size, in: frame)
    try ensure(
      mayLieOutside || !bounds.intersection(Region(size: frame)).size.isEmpty, .unsupported,
      "filter '\(Self.card.name)'",
      why: "its picture of \(bounds) lies wholly outside the frame of \(frame)",
      remedy: "choose a place inside the frame")
  }

  private func place(of size: Size, in frame: Size) -> Region {
    let column = gravity.columns.place(of: size.width, in: frame.width, margin: 0, offset: x)
    let row = gravity.rows.place(of: size.height, in: frame.height, margin: 0, offset: y)
    return Region(x: column, y: row, size: size)
  }

  /// A pass over the pixels on which the picture lies, behind a copy unless those are all.
  func passes(for frame: PassPicture) -> [Pass] {
    let own = pictures[frame.image.depth]
    trap(
      unless: image.isEmpty || own != nil,
      "over was asked for its passes before it read its picture; call prepared()")
    let place = place(of: own?.size ?? frame.secondSize(0), in: frame.size)
    // Until a second picture is there, its size is not known; one of the frame's may lie outside.
    guard !place.intersection(Region(size: frame.size)).size.isEmpty else { return [.copy()] }
    let factor = Int((opacity * 65536).rounded())
    let over =
      own.map { Pass.over($0, x: place.x, y: place.y, opacity: factor, in: frame) }
      ?? .overSecond(of: frame, x: place.x, y: place.y, opacity: factor)
    return over.area == nil ? [over] : [.copy(), over]
  }
}
