public import SafelightGPU
public import SafelightImage

/// A kernel that brings four points of a picture to four others, and straight lines to straight lines; OpenCV's
/// `warpPerspective`. The rules are on its ``card``.
public struct ImagePerspective: WarpKernel {
  /// Four points of the picture; empty for its corners.
  public var from = ""
  /// Where they go; empty for the corners of the result.
  public var to = ""
  /// The columns of the result; 0 for those of the picture.
  public var width = 0
  /// The rows of the result; 0 for those of the picture.
  public var height = 0
  /// The way in which a pixel is made of those around its position.
  public var sampling = WarpSampling()

  /// Makes a kernel that needs points.
  public init() {}

  /// Makes a kernel that brings the points `from`, as ``card`` has them, to the points `to`.
  public init(device: Device, from: String = "", to: String = "", mode: ImageInterpolation = .bilinear) {
    (self.from, self.to, sampling.mode) = (from, to, mode)
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "perspective", "brings four points of the picture to four others",
    discussion: """
      Points are columns and rows with a slash between, in the order of the corners: upper left, upper right, lower
      right, lower left. from makes a rectangle of a slanted one, to puts the picture onto one:

          perspective=from='120/80 1790/130 1700/1010 90/960'     a photographed page, seen from the front
          perspective=to='120/80 1790/130 1700/1010 90/960'       the picture on a wall

      Without one of them its points are the middles of the pixels at the corners, of the picture or of the result. What
      lies behind the horizon has the color, whatever edge is.

      The position of a pixel is a quotient of whole numbers, which are rounded once, to 2^-43 of the greatest divisor.

      \(warpRules)
      """,
    [
      .text("from", "the points of the picture; its corners if none are given", \.from, form: form),
      .text("to", "where they go; the corners of the result if none are given", \.to, form: form),
      .integer("width", "columns of the result; 0 for the picture's", \.width, in: 0...1 << 16),
      .integer("height", "rows of the result; 0 for the picture's", \.height, in: 0...1 << 16),
    ] + warpParameters,
    examples: [
      "perspective=from='1/2 14/0.5 12.25/15 -2/11'",
      "perspective=from='1/2 14/0.5 12.25/15 -2/11':mode=nearest:edge=mirror",
      "perspective=to='3/1 40/9 36/25 1/30':mode=bicubic:color=gray",
      "perspective=to='2/9 30/8 60/40 -20/40':mode=lanczos:edge=mirror:width=33:height=30",
      "perspective=from='2/1 9/2 14/14 1/9':to='12/0 20/3 23/30 4/20':edge=clamp:alpha=as-is",
    ])

  private static let form = "four points, such as '0/0 99/10 99/89 0/99'"

  /// Behind the horizon too.
  public var showsColor: Bool { true }

  /// Checks the points and the color.
  public func check() throws(SafelightError) {
    try checkColor()
    try ensure(
      !from.isEmpty || !to.isEmpty, .usage, "perspective", why: "it has no points",
      remedy: "write, for example, perspective=from='120/80 1790/130 1700/1010 90/960'")
    for (name, text) in [("from", from), ("to", to)] where !text.isEmpty { _ = try corners(name, text) }
  }

  /// The width and the height, or those of the picture.
  public func output(of size: Size) -> Size {
    Size(width > 0 ? width : size.width, height > 0 ? height : size.height)
  }

  /// The positions, in whole numbers.
  public func map(of size: Size) throws(SafelightError) -> WarpMap {
    let made = output(of: size)
    let (seen, shown) = (
      try from.isEmpty ? Quadrilateral(size) : corners("from", from),
      try to.isEmpty ? Quadrilateral(made) : corners("to", to)
    )
    guard let map = WarpMap(projective: Homography(from: shown, to: seen), to: made, inside: shown) else {
      throw .farAway("perspective", "take points that lie farther apart")
    }
    return map
  }

  private func corners(_ name: String, _ text: String) throws(SafelightError) -> Quadrilateral {
    guard let points = PointList.points(in: text), points.count == 4 else {
      throw SafelightError(
        .usage, "perspective=\(name)='\(text)'", why: "it needs four points, columns and rows with a slash between",
        remedy: "write, for example, \(name)='0/0 99/10 99/89 0/99'")
    }
    let quadrilateral = Quadrilateral(points)
    try ensure(
      quadrilateral.isConvex, .usage, "perspective=\(name)='\(text)'",
      why: "its sides cross, or three of its points lie on a line",
      remedy: "give the points around: upper left, upper right, lower right, lower left")
    return quadrilateral
  }
}
