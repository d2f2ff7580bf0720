internal import SafelightGLES
internal import SafelightImage

extension GLESExecutor {
  // MARK: Storage

  func object(_ texture: Texture) throws(SafelightError) -> TextureObject {
    let id = texture.lifetime.id
    if let object = textures[id] { return object }
    let object = try TextureObject(
      context, size: texture.size, pixelFormat: texture.pixelFormat, label: texture.label)
    textures[id] = object
    texture.lifetime.settle(in: home)
    return object
  }

  func object(_ buffer: Buffer) throws(SafelightError) -> BufferObject {
    let id = buffer.lifetime.id
    if let object = buffers[id] { return object }
    let object = try BufferObject(context, length: buffer.length, label: buffer.label)
    buffers[id] = object
    buffer.lifetime.settle(in: home)
    return object
  }

  func uniform(_ bytes: [UInt8], index: Int) throws(SafelightError) -> BufferObject {
    let object: BufferObject
    if let kept = uniforms[index], kept.length >= bytes.count {
      object = kept
    } else {
      object = try BufferObject(context, length: max(256, bytes.count), label: "bytes \(index)")
      uniforms[index] = object
    }
    try object.write(bytes, at: 0)
    return object
  }
}
