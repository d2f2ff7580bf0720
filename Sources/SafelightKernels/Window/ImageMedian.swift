public import SafelightGPU
public import SafelightImage

/// A kernel that replaces each sample by the median of those around it, which removes specks and keeps edges; Metal
/// Performance Shaders' `MPSImageMedian`. The formula is on its ``card``.
public struct ImageMedian: WindowKernel {
  /// The columns and rows of the square: 3, 5 or 7 (`kernelDiameter`).
  public var diameter = 3

  /// Makes the median of 3×3.
  public init() {}

  /// Makes the kernel; `kernelDiameter` must be 3, 5 or 7.
  public init(device: Device, kernelDiameter: Int) { diameter = kernelDiameter }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "median", "the middle one of the samples around: takes specks out and leaves edges",
    discussion: """
      Per channel, alpha too, of the diameter * diameter samples around and at a place:

          out = the middle one when they are sorted

      Beyond the edge of the picture lie the pixels at the edge, as in OpenCV's medianBlur and ffmpeg's median. diameter
      is odd.
      """,
    [.integer("diameter", "columns and rows of the square: 3, 5 or 7", \.diameter, in: 3...7)],
    examples: ["median=3", "median=5", "median=7"],
    defects: [
      KernelDefect(.coefficient, "median=3", "max(max(a0, b0), c0)", "max(a0, b0)"),
      KernelDefect(.coefficient, "median=5", "uvec4(HALF)", "uvec4(HALF - 1u)"),
      KernelDefect(.channel, "median=5", "return middle;", "return middle.grba;"),
      KernelDefect(
        .lastRow, "median=3", "SAFELIGHT_SIZE(source, number) - 1", "SAFELIGHT_SIZE(source, number) - ivec2(1, 2)"),
      KernelDefect(.rounding, "median=7", "bit > 0u", "bit > 1u"),
    ])

  /// Half of the diameter.
  public var radius: Int { diameter / 2 }

  /// Checks that the diameter is odd.
  public func check() throws(SafelightError) {
    try ensure(
      !diameter.isMultiple(of: 2), .usage, "median=diameter=\(diameter)",
      why: "a square of \(diameter)×\(diameter) has no pixel in its middle", remedy: "use 3, 5 or 7")
  }

  /// The body in Swift, for many samples at once.
  ///
  /// Among any N / 2 + 2 of N samples neither the least nor the greatest is the median of all: both are dropped, and
  /// another sample takes their place.
  public static func make<Sample: UnsignedSample>(
    _ made: UnsafeMutableBufferPointer<Sample>, of window: WindowRows<Sample>
  ) {
    let (diameter, length) = (2 * window.radius + 1, made.count)
    let count = diameter * diameter
    let kept = count / 2 + 2
    unsafe withUnsafeTemporaryAllocation(of: Sample.self, capacity: kept * length) { memory in
      func row(_ place: Int) -> UnsafeMutableBufferPointer<Sample> {
        unsafe UnsafeMutableBufferPointer(rebasing: memory[place * length..<(place + 1) * length])
      }
      func take(_ place: Int, into target: Int) {
        let target = unsafe row(target)
        unsafe window.read(place % diameter - window.radius, place / diameter - window.radius) {
          _ = unsafe target.initialize(from: $0)
        }
      }
      for place in 0..<kept { take(place, into: place) }
      var next = kept
      for last in stride(from: kept - 1, through: 2, by: -1) {
        // Pairs first: then the first row takes the least of the lesser ones, the last the greatest of the others.
        let pairs = (last + 1) / 2
        for place in 0..<pairs { unsafe order(row(place), row(last - place)) }
        for place in 1..<last + 1 - pairs { unsafe order(row(0), row(place)) }
        for place in pairs..<last { unsafe order(row(place), row(last)) }
        if next < count { take(next, into: 0) }
        next += 1
      }
      _ = unsafe made.update(from: row(1))
    }
  }

  /// Moves the lesser of each two samples to the first.
  @inline(__always)
  private static func order<Sample: UnsignedSample>(
    _ first: UnsafeMutableBufferPointer<Sample>, _ second: UnsafeMutableBufferPointer<Sample>
  ) {
    for place in 0..<first.count {
      let (one, other) = unsafe (first[place], second[place])
      unsafe first[place] = min(one, other)
      unsafe second[place] = max(one, other)
    }
  }
}
