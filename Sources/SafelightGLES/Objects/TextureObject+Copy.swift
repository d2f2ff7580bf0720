internal import CGLES
package import SafelightImage

extension TextureObject {
  /// Copies a region of an image into another texture of the same format (`glCopyImageSubData`; else `glBlitFramebuffer`).
  package func copy(
    _ image: TextureImage, _ region: Region, to other: TextureObject, _ otherImage: TextureImage, x: Int, y: Int
  ) throws(SafelightError) {
    let gl = context.gl
    // A copy of bytes as they lie: for textures that the driver laid out alone.
    guard !isImported, !other.isImported, context.features.contains(.copyImage),
      let copyImage = gl.table.glCopyImageSubData
    else {
      return try blit(image, region, to: other, otherImage, x: x, y: y)
    }
    copyImage(
      name, target, GLint(baseLevel + image.level), GLint(region.x), GLint(region.y), GLint(image.slice),
      other.name, other.target, GLint(other.baseLevel + otherImage.level), GLint(x), GLint(y),
      GLint(otherImage.slice), GLsizei(region.size.width), GLsizei(region.size.height), 1)
    if gl.checksEveryCall { try gl.check("glCopyImageSubData") }
  }

  private func blit(
    _ image: TextureImage, _ region: Region, to other: TextureObject, _ otherImage: TextureImage, x: Int, y: Int
  ) throws(SafelightError) {
    let gl = context.gl
    // One framebuffer serves one texture: the scratch one reads, as source and destination may be the same.
    try other.attach(otherImage, to: GLenum(GL_DRAW_FRAMEBUFFER))
    let reader = unsafe gl.makeName(FramebufferKind.self, gl.table.glGenFramebuffers)
    try attach(image, to: GLenum(GL_READ_FRAMEBUFFER), framebuffer: reader.rawValue)
    let (width, height) = (GLint(region.size.width), GLint(region.size.height))
    let (fromX, fromY, toX, toY) = (GLint(region.x), GLint(region.y), GLint(x), GLint(y))
    try gl.call("glBlitFramebuffer") {
      $0.glBlitFramebuffer(
        fromX, fromY, fromX + width, fromY + height, toX, toY, toX + width, toY + height,
        GLbitfield(GL_COLOR_BUFFER_BIT), GLenum(GL_NEAREST))
    }
    try gl.check("copy between textures of \(descriptor.pixelFormat.rawValue)")
  }
}
