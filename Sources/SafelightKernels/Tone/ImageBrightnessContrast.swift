/// A kernel of contrast about the middle, then brightness. The formula is on its ``card``.
public struct ImageBrightnessContrast: ToneKernel {
  /// The amount added, from −1 to 1; 1 is the distance from black to white.
  public var brightness = 0.0
  /// The factor of the distance from the middle, from 0 to 10.
  public var contrast = 1.0
  /// The channels that are changed.
  public var channels = ToneChannels.all

  /// Makes the kernel that changes nothing.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "brightness-contrast", "stretches values about the middle, and moves them",
    discussion: """
          y = clamp((x - 1/2) * contrast + 1/2 + brightness, 0, 1)

      \(quantized)
      """,
    [
      .number("brightness", "what is added; 1 is all there is", \.brightness, in: -1...1),
      .number("contrast", "the factor of the distance from the middle", \.contrast, in: 0...10),
      .toneChannels(\.channels),
    ],
    examples: ["brightness-contrast=0.1:contrast=1.3", "brightness-contrast=-0.2:contrast=0.5:channels=red"])

  /// Returns the output for `value`, both from 0 to 1.
  public func output(_ value: Double) -> Double { min(max((value - 0.5) * contrast + 0.5 + brightness, 0), 1) }
}
