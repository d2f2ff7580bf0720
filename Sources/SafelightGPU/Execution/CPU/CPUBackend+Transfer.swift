internal import SafelightGLES
internal import SafelightImage

extension CPUBackend {
  func perform(_ upload: Command.Upload) {
    let target = memory(upload.texture, upload.image)
    let isWhole =
      upload.offset == 0 && upload.region == Region(size: target.size) && upload.bytes.count == target.bytes.count
      && upload.bytesPerRow == target.bytesPerRow
    let first = upload.region.y * target.bytesPerRow + upload.region.x * target.pixelFormat.bytesPerPixel
    if upload.pixelFormat == .bgra8Unorm {
      copyRowsSwappingRedAndBlue(
        upload.region.size, from: upload.bytes, offset: upload.offset, bytesPerRow: upload.bytesPerRow,
        to: &target.bytes, offset: first, bytesPerRow: target.bytesPerRow)
    } else if isWhole {
      target.bytes = upload.bytes
      target.share()
    } else {
      copyRows(
        upload.region.size, bytesPerPixel: target.pixelFormat.bytesPerPixel, from: upload.bytes, upload.offset,
        upload.bytesPerRow, to: &target.bytes, first, target.bytesPerRow)
    }
  }

  func perform(_ read: Command.TextureRead, result: inout ReplayResult) {
    let source = memory(read.texture, read.image)
    let key = ObjectIdentifier(read.readback)
    let swaps = read.pixelFormat == .bgra8Unorm
    if read.isWhole && read.region == Region(size: source.size) && !swaps {
      result.readbacks[key] = source.bytes
      source.share()
      return
    }
    var bytes = result.readbacks.removeValue(forKey: key) ?? transfer.bytes(for: read.readback, isOverwritten: false)
    let first = read.region.y * source.bytesPerRow + read.region.x * source.pixelFormat.bytesPerPixel
    copyRows(
      read.region.size, bytesPerPixel: source.pixelFormat.bytesPerPixel, from: source.bytes, first, source.bytesPerRow,
      to: &bytes, read.offset, read.bytesPerRow)
    if swaps { swapRedAndBlue(&bytes, offset: read.offset, size: read.region.size, bytesPerRow: read.bytesPerRow) }
    result.readbacks[key] = bytes
  }

  func perform(_ copy: Command.TextureCopy) {
    let source = memory(copy.source, copy.sourceImage)
    let target = memory(copy.destination, copy.destinationImage)
    let pixel = source.pixelFormat.bytesPerPixel
    let bytes = source.bytes
    copyRows(
      copy.region.size, bytesPerPixel: pixel, from: bytes, copy.region.y * source.bytesPerRow + copy.region.x * pixel,
      source.bytesPerRow, to: &target.bytes, copy.y * target.bytesPerRow + copy.x * pixel, target.bytesPerRow)
  }

  func upload(_ copy: Command.BufferTextureCopy) {
    let bytes = unsafe [UInt8](memory(copy.buffer).bytes)
    perform(
      Command.Upload(
        bytes: bytes, offset: copy.offset, bytesPerRow: copy.bytesPerRow, pixelFormat: copy.texture.pixelFormat,
        texture: copy.texture, image: copy.image, region: copy.region))
  }

  func download(_ copy: Command.BufferTextureCopy) {
    let row = copy.region.size.width * copy.texture.pixelFormat.bytesPerPixel
    let read = Command.TextureRead(texture: copy.texture, image: copy.image, region: copy.region)
    var result = ReplayResult()
    perform(read, result: &result)
    let bytes = result.contents(of: read.readback) ?? []
    let target = memory(copy.buffer)
    for y in 0..<copy.region.size.height {
      let at = copy.offset + y * copy.bytesPerRow
      unsafe UnsafeMutableRawBufferPointer(rebasing: target.bytes[at..<at + row]).copyBytes(
        from: bytes[y * row..<(y + 1) * row])
    }
  }

  func perform(_ copy: Command.BufferCopy) {
    let source = unsafe memory(copy.source).bytes[copy.range]
    let target = unsafe memory(copy.destination).bytes[copy.offset..<copy.offset + copy.range.count]
    unsafe UnsafeMutableRawBufferPointer(rebasing: target).copyMemory(from: UnsafeRawBufferPointer(rebasing: source))
  }

  func write(_ bytes: some Collection<UInt8>, to buffer: Buffer, at offset: Int) {
    let target = unsafe memory(buffer).bytes[offset..<offset + bytes.count]
    unsafe UnsafeMutableRawBufferPointer(rebasing: target).copyBytes(from: bytes)
  }

  func read(_ buffer: Buffer, _ range: Range<Int>, into readback: Readback, result: inout ReplayResult) {
    var bytes = transfer.bytes(for: readback, isOverwritten: true)
    let source = unsafe UnsafeRawBufferPointer(rebasing: memory(buffer).bytes[range])
    unsafe bytes.withUnsafeMutableBytes { unsafe $0.copyMemory(from: source) }
    result.readbacks[ObjectIdentifier(readback)] = bytes
  }

  private func copyRows(
    _ size: Size, bytesPerPixel: Int, from source: [UInt8], _ sourceOffset: Int, _ sourceRow: Int,
    to target: inout [UInt8], _ targetOffset: Int, _ targetRow: Int
  ) {
    let count = size.width * bytesPerPixel
    for y in 0..<size.height {
      let from = sourceOffset + y * sourceRow
      let to = targetOffset + y * targetRow
      target.replaceSubrange(to..<to + count, with: source[from..<from + count])
    }
  }

  /// Makes each level by linear sampling of the one before at the center of each new pixel, as drivers do.
  func generateMipmaps(_ texture: Texture) {
    // Swizzles apply only to shaders that sample; levels are made from the stored channels.
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
