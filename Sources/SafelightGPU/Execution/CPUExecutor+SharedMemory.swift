internal import SafelightGLES
internal import SafelightImage

extension CPUExecutor {
  func copyReason(of texture: Texture) -> SafelightError? {
    SafelightError(
      .unsupported, "texture '\(texture.label)'", why: "the CPU executor works in memory of its own",
      remedy: "open a device whose driver imports dma-bufs")
  }

  func fill(_ texture: Texture, from rows: SharedRows) {
    let target = memory(texture)
    let before = unsafe target.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    unsafe target.bytes.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      // Somebody holds what was read back: the samples went elsewhere.
      if UInt(bitPattern: base) != before { transferAllocations += 1 }
      unsafe rows.copy(to: base)
    }
  }

  func drain(_ texture: Texture, into rows: SharedRows) {
    unsafe memory(texture).bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      unsafe rows.copy(from: base)
    }
  }

  func export(_ texture: Texture) throws(SafelightError) -> DMABuffer { throw Self.noExport }
}
