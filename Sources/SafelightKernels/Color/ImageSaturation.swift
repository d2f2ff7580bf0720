public import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// Mixes each colour sample with the pixel's luma: 0 gives grey, 1 the picture as it is, more gives stronger colour.
///
/// With `a` the amount in 1/4096 and `gray` the luma of ``LumaWeights``:
///
///     out = clamp((gray · 4096 + (v − gray) · a + 2048) >> 12, 0, maximum)
///
/// Alpha stays. A grey picture stays as it is.
public struct ImageSaturation: Sendable {
  /// From 0 to 4, kept in steps of 1/4096.
  public let amount: Double
  /// The weights of the luma.
  public let weights: LumaWeights

  /// The amounts that can be set.
  public static let amounts = 0.0...4.0

  /// Makes the kernel; `amount` must lie in ``amounts``.
  public init(device: Device, amount: Double, weights: LumaWeights = .bt601) {
    precondition(Self.amounts.contains(amount), "saturation \(amount) lies outside \(Self.amounts)")
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
    PointKernel(name: "saturation", body: .saturation, format: format, arguments: [.bytes(2)], twin: twin(format))
  }

  static func twin(_ format: PixelFormat) -> PointKernel.Twin {
    { arguments, source, destination in
      let weights = arguments.words(2)
      switch format {
      case .rgba8Unorm, .bgra8Unorm: saturate(UInt8.self, source, destination, weights)
      case .rgba16Uint: saturate(UInt16.self, source, destination, weights)
      default: preconditionFailure("saturation takes 8-bit normalised and 16-bit integer pictures, not \(format)")
      }
    }
  }

  private static func saturate<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type, _ source: TextureMemory, _ destination: TextureMemory, _ words: [UInt32]
  ) {
    let (red, green, blue, amount) = (words[0], words[1], words[2], Int32(words[3]))
    let maximum = Int32(Sample.max)
    unsafe source.withSamples(of: type) { source in
      unsafe destination.withMutableSamples(of: type) { destination in
        for pixel in stride(from: 0, to: source.count, by: 4) {
          let r = unsafe source[pixel], g = unsafe source[pixel + 1], b = unsafe source[pixel + 2]
          let gray = Int32((red &* UInt32(r) &+ green &* UInt32(g) &+ blue &* UInt32(b) &+ 32768) >> 16)
          func mixed(_ value: Sample) -> Sample {
            let sum = gray * 4096 + (Int32(value) - gray) * amount + 2048
            return Sample(min(max(sum, 0) >> 12, maximum))
          }
          unsafe destination[pixel] = mixed(r)
          unsafe destination[pixel + 1] = mixed(g)
          unsafe destination[pixel + 2] = mixed(b)
          unsafe destination[pixel + 3] = unsafe source[pixel + 3]
        }
      }
    }
  }
}
