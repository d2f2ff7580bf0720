public import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// Mixes each colour sample with the pixel's luma: 0 gives grey, 1 the picture as it is, more gives stronger colour.
///
/// With `a` the amount in 1/4096 and `gray` the luma of ``LumaWeights``:
///
///     out = clamp((gray · 4096 + (v − gray) · a + 2048) >> 12, 0, maximum)
///
/// Alpha stays. Pictures of one or two channels have no colour, and stay as they are.
public struct ImageSaturation: Sendable {
  /// From 0 to 4, kept in steps of 1/4096.
  public let amount: Double
  /// The weights of the luma.
  public let weights: LumaWeights

  /// The amounts that can be set.
  public static let amounts = 0.0...4.0

  /// Makes the kernel; `amount` must lie in ``amounts``.
  public init(device: Device, amount: Double, weights: LumaWeights = .bt601) {
    trap(unless: Self.amounts.contains(amount), "saturation \(amount) lies outside \(Self.amounts)")
    self.amount = amount
    self.weights = weights
  }

  /// Records the kernel. Both textures need the same size and format.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    guard source.pixelFormat.samplesPerPixel == 4 else {
      ImagePassthrough(device: buffer.device).encode(to: buffer, source: source, destination: destination, form: form)
      return
    }
    var bindings = Bindings()
    bindings.setBytes(
      SIMD4<UInt32>(weights.red, weights.green, weights.blue, UInt32((amount * 4096).rounded())), index: 2)
    Self.library[source.pixelFormat]
      .encode(
        to: buffer, source: source, destination: destination, bindings: bindings, form: form, label: "saturation")
  }

  private static let library = PipelineLibrary<PixelFormat, PointKernel> { format in
    PointKernel(name: "saturation", body: .saturation, format: format, checked: twin)
  }

  /// Nil where the words are no weights and amount.
  static func twin(_ words: [UInt32]) -> PointKernel.Twin? {
    guard let weights = LumaWeights(words: words.prefix(3)), words.count >= 4, words[3] <= 4 * 4096 else { return nil }
    let amount = Int32(words[3])
    return { _, source, destination in
      let maximum = Int32(source.pixelFormat.maximum)
      walkPixels(from: source, to: destination) {
        GrayMix.mixed($0, gray: weights.luma($0), gain: amount, maximum: maximum)
      }
    }
  }
}
