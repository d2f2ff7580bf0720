internal import SafelightGLES
internal import SafelightImage

extension GLESBackend {
  func perform(_ upload: Command.Upload) throws(SafelightError) {
    let object = try object(upload.texture)
    let rowLength = upload.bytesPerRow / upload.pixelFormat.bytesPerPixel
    // Storage is in one order: the bytes of the other one are swapped on the way.
    let swaps = upload.pixelFormat == .bgra8Unorm
    let bytes = swaps ? swapped(upload) : upload.bytes
    let offset = swaps ? 0 : upload.offset
    unsafe try bytes.withUnsafeBufferPointer { bytes throws(SafelightError) in
      guard let base = bytes.baseAddress else { return }
      unsafe try object.upload(
        upload.image, upload.region, from: base + offset, rowLength: swaps ? upload.region.size.width : rowLength)
    }
    if swaps { staging = bytes }
  }

  /// The pixels without padding, red and blue swapped, in memory that is used again; taken out of ``staging`` so that it is
  /// not copied.
  private func swapped(_ upload: Command.Upload) -> [UInt8] {
    var staged = staging
    staging = []
    let count = upload.region.size.area * 4
    if staged.count < count {
      staged = [UInt8](repeating: 0, count: count)
      transferAllocations += 1
    }
    copyRowsSwappingRedAndBlue(
      upload.region.size, from: upload.bytes, offset: upload.offset, bytesPerRow: upload.bytesPerRow, to: &staged,
      offset: 0, bytesPerRow: upload.region.size.width * 4)
    return staged
  }

  func perform(_ read: Command.TextureRead, result: inout ReplayResult) throws(SafelightError) {
    let object = try object(read.texture)
    try wait("readback")
    // Taken out of the dictionary while written to, so that it is not copied.
    var bytes =
      result.readbacks.removeValue(forKey: ObjectIdentifier(read.readback))
      ?? memory(for: read.readback, isFilled: read.isWhole)
    unsafe try bytes.withUnsafeMutableBufferPointer { bytes throws(SafelightError) in
      guard let base = bytes.baseAddress else { return }
      unsafe try object.read(
        read.image, read.region, into: base + read.offset,
        rowLength: read.bytesPerRow / read.pixelFormat.bytesPerPixel)
    }
    if read.pixelFormat == .bgra8Unorm {
      swapRedAndBlue(&bytes, offset: read.offset, size: read.region.size, bytesPerRow: read.bytesPerRow)
    }
    result.readbacks[ObjectIdentifier(read.readback)] = bytes
  }

  /// Memory of an earlier frame, or new memory; not cleared where the command fills it.
  private func memory(for readback: Readback, isFilled: Bool) -> [UInt8] {
    if let spare = readback.takeSpare() { return spare }
    transferAllocations += 1
    if isFilled { return unsafe [UInt8](unsafeUninitializedCapacity: readback.length) { $1 = readback.length } }
    return [UInt8](repeating: 0, count: readback.length)
  }

  func perform(_ copy: Command.TextureCopy) throws(SafelightError) {
    let source = try object(copy.source)
    try source.copy(
      copy.sourceImage, copy.region, to: object(copy.destination), copy.destinationImage, x: copy.x, y: copy.y)
  }

  func generateMipmaps(_ texture: Texture) throws(SafelightError) {
    let object = try object(texture)
    try SamplerObject.unbind(context, unit: 0)
    try object.generateMipmaps()
  }

  func upload(_ copy: Command.BufferTextureCopy) throws(SafelightError) {
    let source = try object(copy.buffer)
    let target = try object(copy.texture)
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
    let source = try object(copy.texture)
    let target = try object(copy.buffer)
    willWrite(copy.buffer)
    let pixelFormat = copy.texture.pixelFormat
    let rowLength = copy.bytesPerRow / pixelFormat.bytesPerPixel
    if pixelFormat != .bgra8Unorm,
      try source.read(copy.image, copy.region, into: target, offset: copy.offset, rowLength: rowLength)
    {
      return
    }
    // By way of memory, a row at a time in the buffer: what lies between the rows stays.
    let row = copy.region.size.width * pixelFormat.bytesPerPixel
    let read = Command.TextureRead(
      texture: copy.texture, image: copy.image, region: copy.region, pixelFormat: pixelFormat,
      readback: Readback(length: row * copy.region.size.height), offset: 0, bytesPerRow: row)
    var result = ReplayResult()
    try perform(read, result: &result)
    let bytes = result.contents(of: read.readback) ?? []
    guard copy.bytesPerRow != row else { return try target.write(bytes, at: copy.offset) }
    for y in 0..<copy.region.size.height {
      try target.write(Array(bytes[y * row..<(y + 1) * row]), at: copy.offset + y * copy.bytesPerRow)
    }
  }

  func perform(_ copy: Command.BufferCopy) throws(SafelightError) {
    let source = try object(copy.source)
    willWrite(copy.destination)
    try source.copy(copy.range, to: object(copy.destination), at: copy.offset)
  }

  func write(_ bytes: [UInt8], to buffer: Buffer, at offset: Int) throws(SafelightError) {
    try order([BarrierPlan.Use(resource: buffer.lifetime.id, access: .bufferUpdate)])
    willWrite(buffer)
    try object(buffer).write(bytes, at: offset)
  }

  func read(_ buffer: Buffer, _ range: Range<Int>, into readback: Readback, result: inout ReplayResult)
    throws(SafelightError)
  {
    let object = try object(buffer)
    try wait("readback")
    var bytes = memory(for: readback, isFilled: true)
    unsafe try bytes.withUnsafeMutableBufferPointer { bytes throws(SafelightError) in
      unsafe try object.read(range, into: UnsafeMutableRawBufferPointer(bytes))
    }
    result.readbacks[ObjectIdentifier(readback)] = bytes
  }
}
