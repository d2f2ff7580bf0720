public import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// Copies every pixel as it is.
public struct ImagePassthrough: Sendable {
  /// Makes the kernel; there is nothing to set.
  public init(device: Device) {}

  /// Records the copy. Both textures need the same size and format.
  public func encode(to buffer: CommandBuffer, source: Texture, destination: Texture, form: KernelForm = .automatic) {
    Self.library[source.pixelFormat]
      .encode(to: buffer, source: source, destination: destination, form: form, label: "passthrough")
  }

  private static let library = PipelineLibrary<PixelFormat, PointKernel> { format in
    PointKernel(name: "passthrough", body: .passthrough, format: format, twin: twin)
  }

  static let twin: PointKernel.Twin = { _, source, destination in
    unsafe source.withSamples(of: UInt8.self) { source in
      unsafe destination.withMutableSamples(of: UInt8.self) { _ = unsafe $0.update(fromContentsOf: source) }
    }
  }
}
