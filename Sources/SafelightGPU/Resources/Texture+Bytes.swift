internal import SafelightGLES
public import SafelightImage

extension Texture {
  /// Replaces pixels of an image and waits; Metal's `replace(region:mipmapLevel:slice:withBytes:bytesPerRow:)`
  /// (`glTexSubImage2D`).
  ///
  /// Comes after all work committed before. `bytesPerRow` is a multiple of the format's bytes a pixel; rows without padding where
  /// nil. Within a frame, record ``BlitCommandEncoder/copy(from:region:to:image:x:y:)`` instead, which waits for nothing.
  public func replace(
    region: Region, mipmapLevel: Int = 0, slice: Int = 0, withBytes bytes: [UInt8], bytesPerRow: Int? = nil,
    fileID: StaticString = #fileID, line: Int = #line
  ) throws(SafelightError) {
    let image = TextureImage(level: mipmapLevel, slice: slice)
    let upload = Command.Upload(
      bytes: bytes, bytesPerRow: bytesPerRow, pixelFormat: pixelFormat, texture: self, image: image, region: region)
    _ = try replayAtHome([.upload(upload)], call: "replace", Recording.Place(fileID, line))
  }

  /// Copies pixels of an image out and waits; Metal's `getBytes(_:bytesPerRow:from:mipmapLevel:)` (`glReadPixels`).
  ///
  /// Comes after all work committed before. Rows lie `bytesPerRow` apart, without padding where nil.
  public func getBytes(
    from region: Region? = nil, mipmapLevel: Int = 0, slice: Int = 0, bytesPerRow: Int? = nil,
    fileID: StaticString = #fileID, line: Int = #line
  ) throws(SafelightError) -> [UInt8] {
    let image = TextureImage(level: mipmapLevel, slice: slice)
    let region = region ?? Region(size: descriptor.size(atLevel: mipmapLevel))
    let row = bytesPerRow ?? region.size.width * pixelFormat.bytesPerPixel
    let readback = Readback(length: row * region.size.height)
    let read = Command.TextureRead(
      texture: self, image: image, region: region, pixelFormat: pixelFormat, readback: readback, offset: 0,
      bytesPerRow: row)
    let result = try replayAtHome([.readTexture(read)], call: "getBytes", Recording.Place(fileID, line))
    return result.contents(of: readback) ?? []
  }

  private func replayAtHome(_ commands: [Command], call: String, _ place: Recording.Place) throws(SafelightError)
    -> ReplayResult
  {
    guard let home else {
      trap("\(call) on '\(label)', which belongs to no device; make it with Device.makeTexture")
    }
    var linear = LinearTextures()
    let commands = commands.flatMap { linear.surround($0) }
    return try home.replay(Recording(label: "\(call) of '\(label)'", commands: commands, place: place))
  }
}
