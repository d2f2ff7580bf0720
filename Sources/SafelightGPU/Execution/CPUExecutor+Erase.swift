internal import SafelightGLES

extension CPUExecutor {
  func erase(_ id: ResourceID) {
    textures[id]?.erase()
    if let buffer = buffers[id] { unsafe buffer.bytes.initializeMemory(as: UInt8.self, repeating: 0) }
  }
}

extension TextureMemory {
  /// Makes all images zeros, in the same memory where nobody else reads it.
  fileprivate func erase() {
    for level in 0..<descriptor.mipmapLevelCount {
      for slice in 0..<descriptor.sliceCount(atLevel: level) {
        unsafe image(level: level, slice: slice).withMutableSamples(of: UInt8.self) { samples in
          unsafe samples.update(repeating: 0)
        }
      }
    }
  }
}
