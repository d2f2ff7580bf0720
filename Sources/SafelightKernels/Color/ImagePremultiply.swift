public import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// Multiplies colours by alpha; vImage's `vImagePremultiplyData_RGBA8888` and its kin.
///
///     out = floor((v · a + floor(maximum / 2)) / maximum)
///
/// Alpha stays; pictures of one or two channels have none, and stay as they are.
public struct ImagePremultiply: Sendable {
  /// Makes the kernel; there is nothing to set.
  public init(device: Device) {}

  /// Records the kernel. Both textures need the same size and format.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    guard source.pixelFormat.samplesPerPixel == 4 else {
      ImagePassthrough(device: buffer.device).encode(to: buffer, source: source, destination: destination, form: form)
      return
    }
    Self.library[source.pixelFormat]
      .encode(to: buffer, source: source, destination: destination, form: form, label: "premultiply")
  }

  private static let library = PipelineLibrary<PixelFormat, PointKernel> { format in
    PointKernel(name: "premultiply", body: .premultiply, format: format, twin: twin)
  }

  static let twin: PointKernel.Twin = { _, source, destination in
    let maximum = UInt32(source.pixelFormat.maximum)
    walkPixels(from: source, to: destination) { pixel in
      let pixel = SIMD4<UInt32>(truncatingIfNeeded: pixel)
      let made = (pixel &* pixel.w &+ maximum / 2) / maximum
      return SIMD4<Int32>(truncatingIfNeeded: SIMD4(made.x, made.y, made.z, pixel.w))
    }
  }
}

/// Divides colours by alpha, which undoes ``ImagePremultiply`` as far as its rounding allows; vImage's `vImageUnpremultiplyData_RGBA8888`.
///
///     out = min(floor((v · maximum + floor(a / 2)) / a), maximum),   0 where a is 0
///
/// Alpha stays; pictures of one or two channels have none, and stay as they are.
public struct ImageUnpremultiply: Sendable {
  /// Makes the kernel; there is nothing to set.
  public init(device: Device) {}

  /// Records the kernel. Both textures need the same size and format.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    guard source.pixelFormat.samplesPerPixel == 4 else {
      ImagePassthrough(device: buffer.device).encode(to: buffer, source: source, destination: destination, form: form)
      return
    }
    Self.library[source.pixelFormat]
      .encode(to: buffer, source: source, destination: destination, form: form, label: "unpremultiply")
  }

  private static let library = PipelineLibrary<PixelFormat, PointKernel> { format in
    PointKernel(name: "unpremultiply", body: .unpremultiply, format: format, twin: twin)
  }

  static let twin: PointKernel.Twin = { _, source, destination in
    let maximum = UInt32(source.pixelFormat.maximum)
    walkPixels(from: source, to: destination) { pixel in
      let pixel = SIMD4<UInt32>(truncatingIfNeeded: pixel)
      let alpha = pixel.w
      if alpha == 0 { return .zero }
      let made = (pixel &* maximum &+ alpha / 2) / alpha
      return SIMD4<Int32>(
        truncatingIfNeeded: SIMD4(min(made.x, maximum), min(made.y, maximum), min(made.z, maximum), alpha))
    }
  }
}
