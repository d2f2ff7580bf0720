internal import SafelightGLES
internal import SafelightImage

extension GLESExecutor {
  func perform(_ upload: Command.Upload) throws(SafelightError) {
    try order([BarrierPlan.Use(resource: upload.texture.lifetime.id, access: .textureUpdate)])
    let object = try object(upload.texture)
    let first = upload.source.y * upload.image.bytesPerRow + upload.source.x * upload.image.pixelFormat.bytesPerPixel
    unsafe try upload.image.bytes.withUnsafeBufferPointer { bytes throws(SafelightError) in
      guard let base = bytes.baseAddress else { return }
      unsafe try object.upload(upload.destination, from: base + first, rowLength: upload.image.size.width)
    }
  }

  func perform(_ read: Command.TextureRead, result: inout ReplayResult) throws(SafelightError) {
    try order([BarrierPlan.Use(resource: read.texture.lifetime.id, access: .textureRead)])
    try wait("readback")
    let object = try object(read.texture)
    let key = ObjectIdentifier(read.readback)
    let first =
      (read.destination.y * read.readbackSize.width + read.destination.x) * read.texture.pixelFormat.bytesPerPixel
    if read.destination == Region(size: read.readbackSize) {
      result.readbacks[key] = try wholePicture(object, read)
      return
    }
    // Taken out of the dictionary while written to, so that it is not copied.
    var bytes = result.readbacks.removeValue(forKey: key) ?? [UInt8](repeating: 0, count: read.readback.length)
    unsafe try bytes.withUnsafeMutableBufferPointer { bytes throws(SafelightError) in
      guard let base = bytes.baseAddress else { return }
      unsafe try object.read(read.region, into: base + first, rowLength: read.readbackSize.width, context: context)
    }
    result.readbacks[key] = bytes
  }

  /// Reads into memory that nobody had to clear before.
  func wholePicture(_ object: TextureObject, _ read: Command.TextureRead) throws(SafelightError) -> [UInt8] {
    var failure: SafelightError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: read.readback.length) { bytes, initialized in
      guard let base = bytes.baseAddress else { return }
      do throws(SafelightError) {
        unsafe try object.read(read.region, into: base, rowLength: read.readbackSize.width, context: context)
        initialized = read.readback.length
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
