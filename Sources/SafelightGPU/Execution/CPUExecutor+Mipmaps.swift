internal import SafelightGLES
internal import SafelightImage

extension CPUExecutor {
  /// Makes each level from the one before: where the size halves evenly, the mean of four; else read between pixels at the centre of the new
  /// one, as drivers do.
  func generateMipmaps(_ texture: Texture) {
    // Swizzles are for shaders that sample; levels are made of what is stored.
    var descriptor = texture.descriptor
    descriptor.swizzle = [.red, .green, .blue, .alpha]
    let memory = memory(texture).view(descriptor, level: 0, slice: 0)
    var linear = SamplerDescriptor(filter: .linear)
    linear.mipFilter = .notMipmapped
    for slice in 0..<texture.descriptor.sliceCount() {
      for level in 1..<max(1, texture.descriptor.mipmapLevelCount) {
        let source = memory.image(level: level - 1, slice: slice)
        let target = memory.image(level: level, slice: slice)
        for y in 0..<target.size.height {
          for x in 0..<target.size.width {
            let (u, v) = ((Float(x) + 0.5) / Float(target.size.width), (Float(y) + 0.5) / Float(target.size.height))
            target.setTexel(source.sample(linear, u, v), x, y)
          }
        }
      }
    }
  }
}
