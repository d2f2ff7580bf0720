public import SafelightGLES
public import SafelightImage

/// A maker of textures. ``Device``, ``ResourcePool`` and ``Heap`` are the ones there are.
public protocol TextureMaker {
  /// Makes a texture of zeros; `fileID` and `line` name it if `label` does not.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if it exceeds the device's limits or what the maker may take,
  ///   `unsupported` if the device lacks a feature.
  func makeTexture(
    _ descriptor: TextureDescriptor, label: String?, fileID: String, line: Int
  ) throws(SafelightError) -> Texture
}

extension TextureMaker {
  /// Makes a texture of zeros with one level.
  ///
  /// - Throws: ``SafelightError`` of kind `limit` if it exceeds the device's limits or what the maker may take.
  public func makeTexture(
    _ size: Size, _ pixelFormat: PixelFormat, label: String? = nil, fileID: String = #fileID, line: Int = #line
  ) throws(SafelightError) -> Texture {
    try makeTexture(TextureDescriptor(size, pixelFormat), label: label, fileID: fileID, line: line)
  }
}
