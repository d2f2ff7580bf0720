public import SafelightGPU
public import SafelightImage

/// A kernel that takes a lens' distortion away; OpenCV's `undistort` with five coefficients. The rules are on its
/// ``card``.
public struct ImageUndistort: WarpKernel {
  /// The coefficients for the second, fourth and sixth power of the distance from the center.
  public var (k1, k2, k3) = (0.0, 0.0, 0.0)
  /// The coefficients of both tangents.
  public var (p1, p2) = (0.0, 0.0)
  /// The focal length in columns, and in rows; 0 rows for as many as columns.
  public var (fx, fy) = (0.0, 0.0)
  /// The column and row of the center; -1 for the picture's middle.
  public var (cx, cy) = (-1.0, -1.0)
  /// The way in which a pixel is made of those around its position.
  public var sampling = WarpSampling()

  /// Makes a kernel that needs a focal length and coefficients.
  public init() {}

  /// Makes the kernel of a lens with a focal length in pixels.
  public init(
    device: Device, focalLength: Double, k1: Double, k2: Double = 0, p1: Double = 0, p2: Double = 0, k3: Double = 0
  ) {
    fx = focalLength
    (self.k1, self.k2, self.k3, self.p1, self.p2) = (k1, k2, k3, p1, p2)
  }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "undistort", "takes the distortion of a lens away",
    discussion: """
      Brown's model, as OpenCV's calibrateCamera measures it and its undistort undoes it: focal lengths fx and fy in
      pixels, the center cx and cy, and the coefficients k1 k2 p1 p2 k3. With x = (column - cx) / fx,
      y = (row - cy) / fy and r^2 = x^2 + y^2, the pixel comes from column fx * x' + cx and row fy * y' + cy of

          x' = x * (1 + k1 * r^2 + k2 * r^4 + k3 * r^6) + 2 * p1 * x * y + p2 * (r^2 + 2 * x^2)
          y' = y * (1 + k1 * r^2 + k2 * r^4 + k3 * r^6) + 2 * p2 * x * y + p1 * (r^2 + 2 * y^2)

      Barrels (straight lines that bend outward) have k1 below 0. x, y, their products and the coefficients are rounded
      to parts of 2^30 of the greatest distance, or a few bits less for strong lenses.

      \(warpRules)
      """,
    [
      .number("k1", "the coefficient of r^2", \.k1, in: -1000...1000),
      .number("k2", "the coefficient of r^4", \.k2, in: -1000...1000),
      .number("p1", "the coefficient of the first tangent", \.p1, in: -1000...1000),
      .number("p2", "the coefficient of the second tangent", \.p2, in: -1000...1000),
      .number("k3", "the coefficient of r^6", \.k3, in: -1000...1000),
      .number("fx", "the focal length in columns", \.fx, in: 0...1_000_000),
      .number("fy", "the focal length in rows; 0 for fx", \.fy, in: 0...1_000_000),
      .number("cx", "the column of the center; -1 for the middle", \.cx, in: -1_000_000...1_000_000),
      .number("cy", "the row of the center; -1 for the middle", \.cy, in: -1_000_000...1_000_000),
    ] + warpParameters,
    examples: [
      "undistort=k1=-0.3:k2=0.1:p1=0.01:p2=-0.02:k3=0.05:fx=20",
      "undistort=k1=0.4:fx=15:fy=25:cx=7:cy=3.5:mode=nearest:edge=clamp",
      "undistort=k1=-0.2:k2=0.05:p1=0.1:fx=30:mode=bicubic:color=gray",
      "undistort=k1=-0.5:p2=0.05:fx=18:mode=lanczos:edge=mirror",
      "undistort=k1=3:k2=-2:k3=1:fx=40:edge=mirror:alpha=as-is",
    ])

  /// Checks the focal length and the color.
  public func check() throws(SafelightError) {
    try checkColor()
    try ensure(
      fx > 0, .usage, "undistort", why: "it has no focal length",
      remedy: "write, for example, undistort=k1=-0.2:fx=1400; calibrateCamera of OpenCV measures both")
  }

  /// The positions, in whole numbers.
  public func map(of size: Size) throws(SafelightError) -> WarpMap {
    let center = SIMD2(
      cx == -1 ? Double(size.width - 1) / 2 : cx, cy == -1 ? Double(size.height - 1) / 2 : cy)
    let coefficients = WarpLens.Coefficients(k1: k1, k2: k2, p1: p1, p2: p2, k3: k3)
    guard
      let lens = WarpLens(coefficients, focal: SIMD2(fx, fy > 0 ? fy : fx), center: center, size: size)
    else {
      throw SafelightError(
        .unsupported, "filter 'undistort'", why: "its coefficients bend pictures of \(size) too far",
        remedy: "check that fx and fy are in pixels of this size, and the order k1 k2 p1 p2 k3")
    }
    return WarpMap(.lens(lens))
  }
}
