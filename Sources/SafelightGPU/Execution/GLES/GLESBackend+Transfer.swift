internal import SafelightGLES
internal import SafelightImage

extension GLESBackend {
  func perform(_ upload: Command.Upload) throws(SafelightError) {
    let object = try textures.object(upload.texture)
    let (size, row) = (upload.region.size, upload.region.size.width * 4)
    func send(_ bytes: [UInt8], offset: Int, rowLength: Int) throws(SafelightError) {
      unsafe try bytes.withUnsafeBufferPointer { bytes throws(SafelightError) in
        guard let base = bytes.baseAddress else { return }
        unsafe try object.upload(upload.image, upload.region, from: base + offset, rowLength: rowLength)
      }
    }
    guard upload.pixelFormat == .bgra8Unorm else {
      let rowLength = upload.bytesPerRow / upload.pixelFormat.bytesPerPixel
      return try send(upload.bytes, offset: upload.offset, rowLength: rowLength)
    }
    // Storage has one order of channels: the other one is swapped on the way.
    try transfer.withStaging(size.height * row) { staged throws(SafelightError) in
      copyRowsSwappingRedAndBlue(
        size, from: upload.bytes, offset: upload.offset, bytesPerRow: upload.bytesPerRow, to: &staged, offset: 0,
        bytesPerRow: row)
      try send(staged, offset: 0, rowLength: size.width)
    }
  }

  func perform(_ read: Command.TextureRead, result: inout ReplayResult) throws(SafelightError) {
    let object = try textures.object(read.texture)
    try order.wait("readback")
    // Taken out of the dictionary meanwhile, so that writing to it copies nothing.
    var bytes =
      result.readbacks.removeValue(forKey: ObjectIdentifier(read.readback))
      ?? transfer.bytes(for: read.readback, isOverwritten: read.isWhole)
    unsafe try bytes.withUnsafeMutableBufferPointer { bytes throws(SafelightError) in
      guard let base = bytes.baseAddress else { return }
      unsafe try object.read(
        read.image, read.region, into: base + read.offset, rowLength: read.bytesPerRow / read.pixelFormat.bytesPerPixel)
    }
    if read.pixelFormat == .bgra8Unorm {
      swapRedAndBlue(&bytes, offset: read.offset, size: read.region.size, bytesPerRow: read.bytesPerRow)
    }
    result.readbacks[ObjectIdentifier(read.readback)] = bytes
  }

  func perform(_ copy: Command.TextureCopy) throws(SafelightError) {
    let source = try textures.object(copy.source)
    try source.copy(
      copy.sourceImage, copy.region, to: textures.object(copy.destination), copy.destinationImage, x: copy.x, y: copy.y)
  }

  func generateMipmaps(_ texture: Texture) throws(SafelightError) {
    let object = try textures.object(texture)
    try SamplerObject.unbind(context, unit: 0)
    try object.generateMipmaps()
  }

  func upload(_ copy: Command.BufferTextureCopy) throws(SafelightError) {
    let source = try buffers.object(copy.buffer)
    let target = try textures.object(copy.texture)
    guard copy.texture.pixelFormat != .bgra8Unorm else {
      let row = copy.region.size.width * 4
      let length = (copy.region.size.height - 1) * copy.bytesPerRow + row
      let bytes = try source.read(copy.offset..<copy.offset + length)
      return try perform(
        Command.Upload(
          bytes: bytes, bytesPerRow: copy.bytesPerRow, pixelFormat: .bgra8Unorm, texture: copy.texture,
          image: copy.image, region: copy.region))
    }
    let rowLength = copy.bytesPerRow / copy.texture.pixelFormat.bytesPerPixel
    try source.asUploadSource { () throws(SafelightError) in
      unsafe try target.upload(
        copy.image, copy.region, from: UnsafeRawPointer(bitPattern: copy.offset), rowLength: rowLength)
    }
  }

  func download(_ copy: Command.BufferTextureCopy) throws(SafelightError) {
    let source = try textures.object(copy.texture)
    let target = try buffers.object(copy.buffer)
    buffers.willWrite(copy.buffer)
    let pixelFormat = copy.texture.pixelFormat
    let rowLength = copy.bytesPerRow / pixelFormat.bytesPerPixel
    if pixelFormat != .bgra8Unorm,
      try source.read(copy.image, copy.region, into: target, offset: copy.offset, rowLength: rowLength)
    {
      return
    }
    // Through host memory, row by row: the bytes between rows of the buffer stay.
    let row = copy.region.size.width * pixelFormat.bytesPerPixel
    let read = Command.TextureRead(texture: copy.texture, image: copy.image, region: copy.region)
    var result = ReplayResult()
    try perform(read, result: &result)
    let bytes = result.contents(of: read.readback) ?? []
    guard copy.bytesPerRow != row else { return try target.write(bytes, at: copy.offset) }
    for y in 0..<copy.region.size.height {
      try target.write(Array(bytes[y * row..<(y + 1) * row]), at: copy.offset + y * copy.bytesPerRow)
    }
  }

  func perform(_ copy: Command.BufferCopy) throws(SafelightError) {
    let source = try buffers.object(copy.source)
    buffers.willWrite(copy.destination)
    try source.copy(copy.range, to: buffers.object(copy.destination), at: copy.offset)
  }

  func read(_ buffer: Buffer, _ range: Range<Int>, into readback: Readback, result: inout ReplayResult)
    throws(SafelightError)
  {
    let object = try buffers.object(buffer)
    try order.wait("readback")
    var bytes = transfer.bytes(for: readback, isOverwritten: true)
    unsafe try bytes.withUnsafeMutableBufferPointer { bytes throws(SafelightError) in
      unsafe try object.read(range, into: UnsafeMutableRawBufferPointer(bytes))
    }
    result.readbacks[ObjectIdentifier(readback)] = bytes
  }
}
