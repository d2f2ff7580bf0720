internal import CGLES
package import SafelightImage

/// A texture of the context: immutable storage, one level, read without filtering.
package final class TextureObject {
  package let size: Size
  package let pixelFormat: PixelFormat

  let format: TextureFormat
  private let context: Context
  private let name: GLName<TextureKind>
  /// Made at the first render or readback.
  private let framebuffer: GLName<FramebufferKind>

  /// Allocates the storage (`glTexStorage2D`) and clears it, so that contents never depend on earlier work.
  package init(_ context: Context, size: Size, pixelFormat: PixelFormat, label: String) throws(SafelightError) {
    let gl = context.gl
    let format = TextureFormat(pixelFormat)
    self.context = context
    self.size = size
    self.pixelFormat = pixelFormat
    self.format = format
    name = unsafe gl.makeName(TextureKind.self, gl.table.glGenTextures)
    framebuffer = unsafe gl.makeName(FramebufferKind.self, gl.table.glGenFramebuffers)
    let target = GLenum(GL_TEXTURE_2D)
    try gl.call("glBindTexture") { $0.glBindTexture(target, name.rawValue) }
    try gl.call("glTexStorage2D") {
      $0.glTexStorage2D(target, 1, format.internalFormat, GLsizei(size.width), GLsizei(size.height))
    }
    try gl.check("texture '\(label)' of \(size) \(pixelFormat.rawValue)")
    for (parameter, value) in [
      (GL_TEXTURE_MIN_FILTER, GL_NEAREST), (GL_TEXTURE_MAG_FILTER, GL_NEAREST),
      (GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE), (GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE),
    ] {
      try gl.call("glTexParameteri") { $0.glTexParameteri(target, GLenum(parameter), value) }
    }
    context.label(GL_TEXTURE, name.rawValue, label)
    try clear()
  }

  /// Copies rows from `bytes` into `region` (`glTexSubImage2D`); `rowLength` is the distance of rows in pixels.
  package func upload(_ region: Region, from bytes: UnsafeRawPointer, rowLength: Int) throws(SafelightError) {
    let gl = context.gl
    try gl.call("glBindTexture") { $0.glBindTexture(GLenum(GL_TEXTURE_2D), name.rawValue) }
    try gl.call("glPixelStorei") { $0.glPixelStorei(GLenum(GL_UNPACK_ROW_LENGTH), GLint(rowLength)) }
    try gl.call("glTexSubImage2D") {
      unsafe $0.glTexSubImage2D(
        GLenum(GL_TEXTURE_2D), 0, GLint(region.x), GLint(region.y), GLsizei(region.size.width),
        GLsizei(region.size.height), format.transferFormat, format.transferType, bytes)
    }
  }

  /// Binds the texture for `texelFetch` at `unit`.
  package func bindSampled(unit: Int) throws(SafelightError) {
    let gl = context.gl
    try gl.call("glActiveTexture") { $0.glActiveTexture(GLenum(GL_TEXTURE0) + GLenum(unit)) }
    try gl.call("glBindTexture") { $0.glBindTexture(GLenum(GL_TEXTURE_2D), name.rawValue) }
  }

  /// Binds the texture for `imageStore` at `unit`, through its integer view.
  package func bindStorage(unit: Int) throws(SafelightError) {
    guard let imageFormat = format.imageFormat else {
      throw SafelightError(
        .unsupported, "texture of \(pixelFormat.rawValue)",
        why: "OpenGL ES 3.1 cannot store to it from a compute kernel",
        remedy: "write it in a render pass")
    }
    try context.gl.call("glBindImageTexture") {
      $0.glBindImageTexture(
        GLuint(unit), name.rawValue, 0, GLboolean(GL_FALSE), 0, GLenum(GL_WRITE_ONLY), imageFormat)
    }
  }

  /// Makes the texture the only colour attachment and its size the viewport.
  package func bindRenderTarget() throws(SafelightError) {
    let gl = context.gl
    let target = GLenum(GL_FRAMEBUFFER)
    try gl.call("glBindFramebuffer") { $0.glBindFramebuffer(target, framebuffer.rawValue) }
    try gl.call("glFramebufferTexture2D") {
      $0.glFramebufferTexture2D(target, GLenum(GL_COLOR_ATTACHMENT0), GLenum(GL_TEXTURE_2D), name.rawValue, 0)
    }
    let status = gl.table.glCheckFramebufferStatus(target)
    guard status == GLenum(GL_FRAMEBUFFER_COMPLETE) else {
      throw SafelightError(
        .driver, "render target of \(size) \(pixelFormat.rawValue)",
        why: "the framebuffer is incomplete (0x\(String(status, radix: 16)))", remedy: "use --device software or cpu")
    }
    try gl.call("glViewport") { $0.glViewport(0, 0, GLsizei(size.width), GLsizei(size.height)) }
  }

  /// Fills the texture with `value` in every sample (`glClearBuffer`).
  package func clear(to value: (Float, Float, Float, Float) = (0, 0, 0, 0)) throws(SafelightError) {
    try bindRenderTarget()
    let samples = [value.0, value.1, value.2, value.3].map(pixelFormat.sample)
    if format.isInteger {
      let words = samples.map { GLuint($0) }
      try context.gl.call("glClearBufferuiv") { unsafe $0.glClearBufferuiv(GLenum(GL_COLOR), 0, words) }
    } else {
      // As in the render form of the point kernels: rounds and truncates to the sample alike.
      let values = samples.map { (Float($0) + 0.25) / Float(pixelFormat.maximum) }
      try context.gl.call("glClearBufferfv") { unsafe $0.glClearBufferfv(GLenum(GL_COLOR), 0, values) }
    }
  }
}
