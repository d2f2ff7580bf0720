internal import SafelightGPU
internal import SafelightImage
internal import SafelightShaders

/// A variant of the function that paints a picture: one GLSL body in two forms, and one twin.
struct RenderFunction: Hashable, Sendable {
  /// Nil where the picture has the size of its bounds.
  let filter: ImageRenderer.Filter?
  let blends: Bool
  let sourceIsGray: Bool
  let sampleBits: Int

  init(filter: ImageRenderer.Filter?, blends: Bool, sourceIsGray: Bool, format: PixelFormat) {
    self.filter = filter
    self.blends = blends
    self.sourceIsGray = sourceIsGray
    sampleBits = format.bytesPerSample * 8
  }

  static let compute = PipelineLibrary<RenderFunction, ComputePipelineState> { function in
    ComputePipelineState(
      function.shader([.imageRenderingCompute], arguments: [.storageTexture(1)]) { $0.texture(1) })
  }

  static let render = PipelineLibrary<RenderFunction, RenderPipelineState> { function in
    RenderPipelineState(fullScreen: function.shader([.imageRenderingFragment], arguments: []) { $0.colorAttachment })
  }

  private func shader(
    _ form: [ShaderSource], arguments: [ShaderArgument],
    destination: @escaping @Sendable (TwinArguments) -> TextureMemory?
  ) -> ShaderFunction {
    return ShaderFunction(
      name: "image_rendering",
      assembly: ShaderAssembly(
        [.pixels, .imageRendering] + form,
        constants: [
          ShaderAssembly.Constant("SAMPLE_BITS", sampleBits),
          ShaderAssembly.Constant("FILTER", Self.filters.firstIndex(of: filter) ?? 0),
          ShaderAssembly.Constant("BLENDS", blends), ShaderAssembly.Constant("SOURCE_IS_GRAY", sourceIsGray),
        ]),
      arguments: [.sampledTexture(0)] + arguments + (blends ? [.sampledTexture(2)] : []) + [.bytes(3)],
      twin: twin(destination))
  }

  /// The filters as the shader's macro numbers them.
  static let filters: [ImageRenderer.Filter?] = [nil, .nearest, .linear, .area]

  func twin(_ destination: @escaping @Sendable (TwinArguments) -> TextureMemory?) -> ShaderTwin {
    ShaderTwin { arguments in
      guard let destination = destination(arguments) else { return }
      switch sampleBits {
      case 8: paint(UInt8.self, arguments, destination)
      default: paint(UInt16.self, arguments, destination)
      }
    }
  }
}
