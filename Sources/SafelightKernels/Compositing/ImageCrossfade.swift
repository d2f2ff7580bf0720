public import SafelightGPU
public import SafelightImage

/// A kernel that passes from one sequence to another, as Core Image's `CIDissolveTransition` does. The formulas are on
/// its ``card``.
public struct ImageCrossfade: TimedKernel {
  /// The position, from 1, at which the second sequence begins.
  public var from = 1
  /// The number of frames from there on that are mixed.
  public var length = 24

  /// Makes a kernel that begins with the first frame.
  public init() {}

  /// Makes the kernel.
  public init(device: Device, from: Int, length: Int = 24) { (self.from, self.length) = (from, length) }

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "crossfade", "passes from the frames to a second sequence",
    discussion: """
      The second sequence begins at the position from, so that its first picture goes with the frame there. With k
      frames from there on, k < length, and the samples f of the frame and s of the second picture:

          out = floor((f * (length - k) + s * k + floor(length / 2)) / length)

      Before come the frames alone, and from k = length on the second pictures alone. Straight colors count by their
      alphas F and S, and if both are 0 the frame stays:

          a = F * (length - k),  b = S * k,  A = floor((a + b + floor(length / 2)) / length)
          out = floor((f * a + s * b + floor((a + b) / 2)) / (a + b)),  with alpha A

      The run ends with the sequence that ends later. Frames behind the last of the first sequence have no names of
      their own, so OUTPUT is a pattern, a film or - then. A picture that stands alone is mixed as in the middle.

      \(secondPictures)
      """,
    [
      .integer("from", "the position at which the second sequence begins", \.from, in: 1...1 << 24),
      .integer(
        "length", "the number of frames from there to the second sequence alone", \.length, in: 1...10_000),
    ],
    examples: ["crossfade=length=5", "crossfade=length=9999", "crossfade=length=1"],
    secondPicture: "the picture or the pictures that come after the frames")

  package var beginning: Int { from - 1 }
  package var mixedCount: Int { length }
  package func moment(at position: Int?) -> Int {
    guard let position else { return max(1, length / 2) }
    return min(max(position - beginning, 0), length)
  }

  /// Requires full range.
  public func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription {
    try color.ofFullRange(for: Self.card.name)
  }

  /// One pass; none for a frame that is shown alone.
  public func passes(for picture: PassPicture) -> [Pass] {
    let part = picture.moment ?? moment(at: nil)
    if part == 0 { return [] }
    if part == length { return [.rendering(.further(0), of: picture.size, picture.pixelFormat, Placement())] }
    let isWeighted = picture.image.channels.hasAlpha && picture.image.color.alpha != .premultiplied
    return [
      Pass(
        CrossfadeFunction(isWeighted: isWeighted), uniforms: .words([part, length, 0, 0]),
        inputs: [.source(.pixel), .second(.pixel)])
    ]
  }

  /// Records the kernel for the frame at `position`, from 0. All textures need the same size and format, and the
  /// destination other memory.
  public func encode(
    to buffer: CommandBuffer, primary: Texture, secondary: Texture, destination: Texture, position: Int,
    pipeline: PipelineKind = .automatic
  ) {
    encodePasses(
      to: buffer, source: primary, seconds: [secondary], destination: destination, position: position,
      pipeline: pipeline)
  }
}
