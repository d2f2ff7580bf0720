internal import CGLES
package import SafelightImage

extension TextureObject {
  /// Binds the texture for sampling at `unit`.
  package func bindSampled(unit: Int) throws(SafelightError) {
    let gl = context.gl
    try gl.call("glActiveTexture") { $0.glActiveTexture(GLenum(GL_TEXTURE0) + GLenum(unit)) }
    try gl.call("glBindTexture") { $0.glBindTexture(target, name) }
    try show(levels: baseLevel..<baseLevel + descriptor.mipmapLevelCount)
  }

  /// Sets the levels of the texture bound to the unit in use. They are state of the GL texture: a view without an object of its own sets
  /// them, and its parent sets them back.
  private func show(levels: Range<Int>) throws(SafelightError) {
    guard allLevels.count > 1, !context.features.contains(.textureViews) else { return }
    for (parameter, level) in [
      (GL_TEXTURE_BASE_LEVEL, levels.lowerBound), (GL_TEXTURE_MAX_LEVEL, levels.upperBound - 1),
    ] {
      try context.gl.call("glTexParameteri") { $0.glTexParameteri(target, GLenum(parameter), GLint(level)) }
    }
  }

  /// Binds the first level for `imageStore` at `unit`, all slices at once where there are several; 8-bit formats
  /// through their integer view.
  ///
  /// Stores go to the levels that the texture shows alone (ES 3.1 §8.22): it shows all, which takes the unit in use. Textures that the
  /// same function samples are bound afterwards.
  package func bindStorage(unit: Int) throws(SafelightError) {
    if allLevels.count > 1, !context.features.contains(.textureViews) {
      try context.gl.call("glBindTexture") { $0.glBindTexture(target, name) }
      try show(levels: allLevels)
    }
    let imageFormat = format.imageFormat
    let isLayered = GLboolean(descriptor.textureType == .type2D ? GL_FALSE : GL_TRUE)
    // Of all formats, ES 3.1 lets only one word a pixel be read and written at once (ES 3.1 §8.22).
    let access = imageFormat == GLenum(GL_R32UI) || imageFormat == GLenum(GL_R32F) ? GL_READ_WRITE : GL_WRITE_ONLY
    try context.gl.call("glBindImageTexture") {
      $0.glBindImageTexture(GLuint(unit), name, GLint(baseLevel), isLayered, 0, GLenum(access), imageFormat)
    }
  }

  /// Makes every level from the first (`glGenerateMipmap`).
  package func generateMipmaps() throws(SafelightError) {
    // An imported texture would be given more levels, and memory of its own.
    guard descriptor.mipmapLevelCount > 1 else { return }
    try bindSampled(unit: 0)
    try context.gl.call("glGenerateMipmap") { $0.glGenerateMipmap(target) }
  }
}
