internal import SafelightGLES
internal import SafelightImage

extension Bindings {
  /// Throws where a sampler needs what a device of `capabilities` lacks, or filters a format that it cannot filter, where OpenGL ES reads
  /// black (ES 3.1 §8.17); asked by both executors, so that they refuse alike.
  func checkFilters(of function: ShaderFunction, _ capabilities: Capabilities) throws(SafelightError) {
    for sampler in samplers.sorted(by: { $0.key < $1.key }).map(\.value) {
      try sampler.descriptor.check(capabilities.features, label: sampler.label)
    }
    for case .sampledTexture(let index) in function.arguments {
      guard let texture = textures[index], let sampler = samplers[index], sampler.descriptor.isFiltering else {
        continue
      }
      let format = texture.pixelFormat
      let isFloat32 = format.sampleKind == .float && format.bytesPerSample == 4
      let canFilter =
        isFloat32 ? capabilities.features.contains(.linearFloat32) : format.sampleKind != .integer
      guard !canFilter else { continue }
      throw SafelightError(
        .unsupported, function.name,
        why: "sampler '\(sampler.label)' filters texture \(index) of \(format.rawValue), which this device cannot",
        remedy: isFloat32
          ? "use the format of halves, or a sampler of the nearest pixel"
          : "use a normalised format, or a sampler of the nearest pixel")
    }
  }
}

extension SamplerDescriptor {
  /// Whether it joins pixels.
  fileprivate var isFiltering: Bool { minFilter == .linear || magFilter == .linear || mipFilter == .linear }
}
