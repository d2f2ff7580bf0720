public import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// Saturation that spares strong colours: the less colour a pixel has, the more it changes.
///
/// With `a` the amount in 1/4096 and `gray` the luma of ``LumaWeights``:
///
///     rest = maximum − (max(R, G, B) − min(R, G, B))
///     gain = 4096 ± floor((|a| · rest + floor(maximum / 2)) / maximum),   − where a is negative
///     out  = clamp((gray · 4096 + (v − gray) · gain + 2048) >> 12, 0, maximum)
///
/// A pixel of full colour stays as it is. With amount −1 a pixel keeps as much of its colour as it has. Alpha stays; pictures of
/// one or two channels stay as they are.
public struct ImageVibrance: Sendable {
  /// From −1 to 1, kept in steps of 1/4096; 0 leaves the picture as it is.
  public let amount: Double
  /// The weights of the luma.
  public let weights: LumaWeights

  /// The amounts that can be set.
  public static let amounts = -1.0...1.0

  /// Makes the kernel; `amount` must lie in ``amounts``.
  public init(device: Device, amount: Double, weights: LumaWeights = .bt601) {
    trap(unless: Self.amounts.contains(amount), "vibrance \(amount) lies outside \(Self.amounts)")
    self.amount = amount
    self.weights = weights
  }

  /// Records the kernel. Both textures need the same size and format.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    guard source.pixelFormat.samplesPerPixel == 4 else {
      ImagePassthrough(device: buffer.device).encode(to: buffer, source: source, destination: destination, form: form)
      return
    }
    let amount = UInt32(bitPattern: Int32((amount * 4096).rounded()))
    var bindings = Bindings()
    bindings.setBytes(SIMD4<UInt32>(weights.red, weights.green, weights.blue, amount), index: 2)
    Self.library[source.pixelFormat]
      .encode(to: buffer, source: source, destination: destination, bindings: bindings, form: form, label: "vibrance")
  }

  private static let library = PipelineLibrary<PixelFormat, PointKernel> { format in
    PointKernel(name: "vibrance", body: .vibrance, format: format, checked: twin)
  }

  /// Nil where the words are no weights and amount.
  static func twin(_ words: [UInt32]) -> PointKernel.Twin? {
    guard let weights = LumaWeights(words: words.prefix(3)), words.count >= 4 else { return nil }
    let amount = Int32(bitPattern: words[3])
    guard amount.magnitude <= 4096 else { return nil }
    return { _, source, destination in
      let maximum = Int32(source.pixelFormat.maximum)
      walkPixels(from: source, to: destination) { pixel in
        let rest = maximum &- max(pixel.x, pixel.y, pixel.z) &+ min(pixel.x, pixel.y, pixel.z)
        let change = (Int32(amount.magnitude) &* rest &+ maximum / 2) / maximum
        let gain = amount < 0 ? 4096 &- change : 4096 &+ change
        return GrayMix.mixed(pixel, gray: weights.luma(pixel), gain: gain, maximum: maximum)
      }
    }
  }
}
