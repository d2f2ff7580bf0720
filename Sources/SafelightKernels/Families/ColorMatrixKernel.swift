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
  /// The matrix as a stage, quantized once.
  public func makeStage(on device: Device, form: KernelForm) -> any ImageStage {
    ColorMatrixStage(kernel: self, matrix: ImageColorMatrix(device: device, vectors: vectors), form: form)
  }

  /// Gray only where the matrix leaves grays gray.
  public func check(_ image: ImageDescriptor) throws(SafelightError) {
    guard !image.channels.isGray || ImageColorMatrix(vectors).keepsGrays else {
      throw SafelightError(
        .unsupported, "filter '\(Self.card.name)'", why: "it makes colors of grays, and a gray picture holds none",
        remedy: "store the picture as RGB first, or leave the filter out")
    }
  }

  /// Records the kernel. Both textures need the same size and format; for one channel see ``ImageColorMatrix/keepsGrays``.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    Self.card.check(self)
    ImageColorMatrix(vectors).encode(to: buffer, source: source, destination: destination, form: form)
  }

  /// The mistakes that a matrix can make with the kernel called as `settings`.
  static func matrixDefects(_ settings: String, rounds: Bool = true) -> [KernelDefect] {
    let rounding = KernelDefect(.rounding, settings, "l + 32768", "l")
    return [
      KernelDefect(.coefficient, settings, "row.g * high.g", "(row.g + 1) * high.g"),
      KernelDefect(.channel, settings, "mixedSample(blueRow", "mixedSample(greenRow"),
    ] + (rounds ? [rounding] : [])
  }

  /// What cards of matrices say of how they are quantized.
  static var quantized: String {
    """
        out = clamp(floor((c.r*R + c.g*G + c.b*B + 32768) / 65536) + bias, 0, maximum)

    with coefficients in 1/65536, of which the largest of a row takes what rounding leaves of the row's sum. Alpha stays.
    """
  }
}

private struct ColorMatrixStage<Kernel: ColorMatrixKernel>: ImageStage {
  let kernel: Kernel
  let matrix: ImageColorMatrix
  let form: KernelForm

  var isPointwise: Bool { true }

  func check(_ image: ImageDescriptor) throws(SafelightError) { try kernel.check(image) }

  func output(of color: ColorDescription) throws(SafelightError) -> ColorDescription { try kernel.output(of: color) }

  func encode(to buffer: CommandBuffer, source: TiledTexture, destination: TiledTexture) {
    for (from, to) in zip(source.tiles, destination.tiles) {
      matrix.encode(to: buffer, source: from.texture, destination: to.texture, form: form)
    }
  }
}
