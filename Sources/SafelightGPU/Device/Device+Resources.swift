public import SafelightGLES
public import SafelightImage

extension Device {
  /// Makes a texture of zeros with one level; throws when it exceeds the device's limit. Storage is made at its first use.
  public func makeTexture(
    _ size: Size, _ pixelFormat: PixelFormat, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Texture {
    try makeTexture(TextureDescriptor(size, pixelFormat), label: label, fileID: fileID, line: line)
  }

  /// Makes a texture of zeros; throws when it exceeds the device's limits or needs a feature that the device lacks. Storage is made at its
  /// first use.
  public func makeTexture(
    _ descriptor: TextureDescriptor, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Texture {
    let label = label ?? "\(fileID):\(line)"
    try check(descriptor, label)
    return Texture(descriptor, label: label, home: thread)
  }

  /// Throws where a texture exceeds the device's limits or needs a feature that it lacks.
  func check(_ descriptor: TextureDescriptor, _ label: String) throws(SafelightError) {
    let limit = capabilities.maximumTextureSize
    guard !descriptor.size.isEmpty, descriptor.size.width <= limit, descriptor.size.height <= limit else {
      throw SafelightError(
        .limit, "texture '\(label)'",
        why: "\(descriptor.size) was asked for; this device takes 1×1 to \(limit)×\(limit)",
        remedy: "cut the picture into tiles (Region.tiles), or use another device")
    }
    if let fault = descriptor.shapeFault { trap("texture '\(label)': \(fault)") }
    // What every device takes (ES 3.1 table 20.40): GL_MAX_3D_TEXTURE_SIZE, GL_MAX_ARRAY_TEXTURE_LAYERS, GL_MAX_SAMPLES.
    for (value, limit, what) in [
      (descriptor.depth, 256, "planes"), (descriptor.arrayLength, 256, "images"),
      (descriptor.sampleCount, 4, "samples a pixel"),
    ] where value > limit {
      throw SafelightError(
        .limit, "texture '\(label)'", why: "\(value) \(what) were asked for; every device takes \(limit)",
        remedy: "split it")
    }
    try checkFormat(descriptor.pixelFormat, label)
    try descriptor.checkSamples(capabilities, label)
  }

  private func checkFormat(_ format: PixelFormat, _ label: String) throws(SafelightError) {
    guard
      format.sampleKind == .normalized, format.bytesPerSample == 2, !capabilities.features.contains(.normalized16)
    else { return }
    throw SafelightError(
      .unsupported, "texture '\(label)'",
      why: "\(format.rawValue) needs GL_EXT_texture_norm16, which this device lacks",
      remedy: "use r16Uint or rgba16Uint and divide by 65535 in the shader, or r16Float")
  }

  /// Makes a buffer of zeros; throws when it exceeds the device's limit. Storage is made at its first use, memory shared with the process
  /// at the first ``Buffer/contents()``.
  public func makeBuffer(
    length: Int, storageMode: StorageMode = .shared, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Buffer {
    let label = label ?? "\(fileID):\(line)"
    try checkLength(length, label)
    return Buffer(length: length, label: label, storageMode: storageMode, home: thread)
  }

  /// Makes a shared buffer that holds `bytes`.
  public func makeBuffer(
    bytes: [UInt8], label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Buffer {
    let label = label ?? "\(fileID):\(line)"
    try checkLength(bytes.count, label)
    let memory = HostMemory(length: bytes.count)
    unsafe memory.bytes.copyBytes(from: bytes)
    return Buffer(length: bytes.count, label: label, home: thread, memory: memory)
  }

  /// Makes a shared buffer over memory that is there already: no copy on the CPU, one at each end of a command buffer on others
  /// (``Buffer/isZeroCopy`` says which).
  public func makeBuffer(
    bytesNoCopy memory: HostMemory, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Buffer {
    let label = label ?? "\(fileID):\(line)"
    try unsafe checkLength(memory.bytes.count, label)
    return unsafe Buffer(length: memory.bytes.count, label: label, home: thread, memory: memory)
  }

  /// Makes a shared buffer over memory that is there already; Metal's `makeBuffer(bytesNoCopy:length:options:deallocator:)`.
  ///
  /// `bytes` must begin at a page and fill whole pages (``HostMemory`` allocates such) and stay until `deallocator` was called, on any
  /// thread, once neither the buffer nor the device needs them.
  public func makeBuffer(
    bytesNoCopy bytes: UnsafeMutableRawBufferPointer, label: String? = nil, fileID: String = #fileID, line: Int = #line,
    deallocator: (@Sendable (UnsafeMutableRawBufferPointer) -> Void)? = nil
  ) throws(SafelightError) -> Buffer {
    let page = HostMemory.pageSize
    let address = UInt(bitPattern: bytes.baseAddress)
    unsafe trap(
      unless: bytes.baseAddress != nil && address % UInt(page) == 0 && bytes.count % page == 0,
      "makeBuffer(bytesNoCopy:) takes whole pages of \(page) bytes; \(bytes.count) bytes at 0x\(String(address, radix: 16)) "
        + "were given: allocate them with HostMemory(length:)")
    return try makeBuffer(
      bytesNoCopy: unsafe HostMemory(adopting: bytes, deallocator: deallocator), label: label, fileID: fileID,
      line: line)
  }

  /// Throws where the device has no buffer of `length` bytes.
  func checkLength(_ length: Int, _ label: String) throws(SafelightError) {
    let limit = capabilities.maximumBufferLength
    guard length > 0, length <= limit else {
      throw SafelightError(
        .limit, "buffer '\(label)'", why: "\(length) bytes were asked for; this device takes 1 to \(limit)",
        remedy: "split the data")
    }
  }

  /// Makes a sampler; throws where it needs a feature that the device lacks.
  public func makeSamplerState(
    _ descriptor: SamplerDescriptor, label: String = "sampler"
  ) throws(SafelightError) -> SamplerState {
    try descriptor.check(capabilities.features, label: label)
    return SamplerState(descriptor, label: label)
  }
}

extension TextureDescriptor {
  /// What contradicts itself in the fields; nil where nothing does.
  var shapeFault: String? {
    let what = "\(textureType.rawValue) of \(size)"
    if !(1...fullLevelCount).contains(mipmapLevelCount) {
      return "\(what) has 1 to \(fullLevelCount) levels; \(mipmapLevelCount) were asked for"
    }
    if depth != 1 && (depth < 1 || textureType != .type3D) { return "\(what) cannot have \(depth) planes" }
    if arrayLength != 1 && (arrayLength < 1 || !textureType.isArray) {
      return "\(what) cannot have \(arrayLength) images"
    }
    if textureType.isMultisample != (sampleCount > 1) || sampleCount < 1 {
      return "\(what) cannot have \(sampleCount) samples a pixel"
    }
    if textureType == .typeCube && size.width != size.height { return "\(what) must be square" }
    if textureType.isMultisample && mipmapLevelCount != 1 { return "\(what) has one level only" }
    if textureType == .type3D && !pixelFormat.isColor { return "\(what) cannot be of \(pixelFormat.rawValue)" }
    if swizzle.count != 4 {
      return "\(what) needs four channels in its swizzle; \(swizzle.count) were given"
    }
    return nil
  }
}
