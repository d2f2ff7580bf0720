public import SafelightImage

/// Records copies; Metal's `MTLBlitCommandEncoder`, with pictures in the place of Metal's shared memory.
public final class BlitCommandEncoder {
  private let recorder: CommandRecorder

  init(_ recorder: CommandRecorder) { self.recorder = recorder }

  /// Copies `region` of `image` to the top-left corner of `texture` (`glTexSubImage2D`); all of it where nil.
  public func copy(from image: Image, region: Region? = nil, to texture: Texture) {
    let source = region ?? Region(size: image.size)
    precondition(
      image.pixelFormat == texture.pixelFormat,
      "a picture of \(image.pixelFormat.rawValue) cannot be copied to '\(texture.label)' of \(texture.pixelFormat.rawValue)"
    )
    precondition(
      source.isInside(image.size) && Region(size: source.size).isInside(texture.size),
      "region \(source) of a picture of \(image.size) does not fit texture '\(texture.label)' of \(texture.size)")
    recorder.append(
      .upload(Command.Upload(image: image, source: source, texture: texture, destination: Region(size: source.size))))
  }

  /// Brings all pixels of `texture` back (`glReadPixels`).
  public func read(_ texture: Texture) -> Readback {
    let readback = Readback(texture.size, texture.pixelFormat)
    read(texture, region: texture.bounds, into: readback, ofSize: texture.size, at: texture.bounds)
    return readback
  }

  /// Brings the first pixels of `texture` back as the part `destination` of a picture of `size`.
  public func read(_ texture: Texture, into readback: Readback, ofSize size: Size, at destination: Region) {
    read(texture, region: Region(size: destination.size), into: readback, ofSize: size, at: destination)
  }

  private func read(
    _ texture: Texture, region: Region, into readback: Readback, ofSize size: Size, at destination: Region
  ) {
    precondition(
      region.isInside(texture.size) && destination.isInside(size)
        && readback.length == size.area * texture.pixelFormat.bytesPerPixel,
      "region \(region) of '\(texture.label)' does not fit a readback of \(readback.length) bytes for \(size)")
    recorder.append(
      .readTexture(
        Command.TextureRead(
          texture: texture, region: region, readback: readback, destination: destination, readbackSize: size)))
  }

  /// Writes `bytes` into `buffer` (`glBufferSubData`).
  public func write(_ bytes: [UInt8], to buffer: Buffer, offset: Int = 0) {
    check(buffer, offset..<offset + bytes.count)
    recorder.append(.writeBuffer(buffer, offset: offset, bytes: bytes))
  }

  /// Sets every byte of `range` to `value`.
  public func fill(_ buffer: Buffer, range: Range<Int>, value: UInt8) {
    check(buffer, range)
    recorder.append(.fillBuffer(buffer, range: range, value: value))
  }

  /// Brings bytes of `buffer` back (`glMapBufferRange`).
  public func read(_ buffer: Buffer, range: Range<Int>) -> Readback {
    check(buffer, range)
    let readback = Readback(length: range.count)
    recorder.append(.readBuffer(buffer, range: range, into: readback))
    return readback
  }

  private func check(_ buffer: Buffer, _ range: Range<Int>) {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= buffer.length,
      "bytes \(range) lie outside buffer '\(buffer.label)' of \(buffer.length) bytes")
  }

  /// Ends the list; the encoder records nothing afterwards.
  public func endEncoding() { recorder.end() }
}
