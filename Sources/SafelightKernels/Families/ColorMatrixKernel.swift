public import SafelightGPU
public import SafelightImage

/// A kernel that mixes red, green and blue by a matrix.
///
/// ``ImageColorMatrix`` is the function of all of them, so what is planted in one is planted in each.
public protocol ColorMatrixKernel: ImageKernel {
  /// The rows.
  var vectors: ColorVectors { get }
}

extension ColorMatrixKernel {
  /// The matrix as a stage.
  public func makeStage(on device: Device, form: KernelForm) -> any ImageStage {
    let matrix = ImageColorMatrix(vectors)
    return TileStage(self) { matrix.encode(to: $0, source: $1, destination: $2, form: form) }
  }

  /// Gray only where the matrix leaves grays gray.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    try ImageColorMatrix(vectors).check(image, for: Self.card.name)
  }

  /// Records the kernel. Both textures need the same size and format; for one channel see
  /// ``ImageColorMatrix/keepsGrays``.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    Self.card.check(self)
    ImageColorMatrix(vectors).encode(to: buffer, source: source, destination: destination, form: form)
  }
}

extension KernelCard {
  /// What cards of matrices say of how they are quantized.
  static var quantizedMatrix: String {
    """
        out = clamp(floor((c.r*R + c.g*G + c.b*B + 32768) / 65536) + bias, 0, maximum)

    with coefficients in 1/65536, of which the largest of a row takes what rounding leaves of the row's sum. Alpha
    stays.
    """
  }
}

extension [KernelDefect] {
  /// The mistakes that a matrix can make with a kernel called as `settings`.
  static func ofMatrix(_ settings: String, rounds: Bool = true) -> [KernelDefect] {
    let rounding = KernelDefect(.rounding, settings, "l + 32768", "l")
    return [
      KernelDefect(.coefficient, settings, "row.g * high.g", "(row.g + 1) * high.g"),
      KernelDefect(.channel, settings, "mixedSample(blueRow", "mixedSample(greenRow"),
    ] + (rounds ? [rounding] : [])
  }
}
