internal import SafelightGLES
internal import SafelightImage

extension CPUExecutor {
  func perform(_ upload: Command.Upload) {
    let target = memory(upload.texture)
    if upload.source.size == upload.image.size && upload.source.size == target.size {
      target.bytes = upload.image.bytes
      return
    }
    copyRows(
      upload.source.size, bytesPerPixel: target.pixelFormat.bytesPerPixel,
      from: upload.image.bytes, upload.source, rowBytes: upload.image.bytesPerRow,
      to: &target.bytes, upload.destination, rowBytes: target.bytesPerRow)
  }

  func perform(_ read: Command.TextureRead, result: inout ReplayResult) {
    let source = memory(read.texture)
    let key = ObjectIdentifier(read.readback)
    if read.region.size == source.size && read.readbackSize == source.size {
      result.readbacks[key] = source.bytes
      return
    }
    var bytes = result.readbacks.removeValue(forKey: key) ?? [UInt8](repeating: 0, count: read.readback.length)
    let pixel = source.pixelFormat.bytesPerPixel
    copyRows(
      read.region.size, bytesPerPixel: pixel, from: source.bytes, read.region, rowBytes: source.bytesPerRow,
      to: &bytes, read.destination, rowBytes: read.readbackSize.width * pixel)
    result.readbacks[key] = bytes
  }

  func copyRows(
    _ size: Size, bytesPerPixel: Int, from source: [UInt8], _ sourceRegion: Region, rowBytes sourceRow: Int,
    to target: inout [UInt8], _ targetRegion: Region, rowBytes targetRow: Int
  ) {
    let count = size.width * bytesPerPixel
    for y in 0..<size.height {
      let from = (sourceRegion.y + y) * sourceRow + sourceRegion.x * bytesPerPixel
      let to = (targetRegion.y + y) * targetRow + targetRegion.x * bytesPerPixel
      target.replaceSubrange(to..<to + count, with: source[from..<from + count])
    }
  }
}
