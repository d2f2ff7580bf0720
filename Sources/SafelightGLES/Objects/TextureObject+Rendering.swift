internal import CGLES
package import SafelightImage

extension TextureObject {
  /// Makes an image of the texture the only attachment and its size the viewport.
  package func bindRenderTarget(_ image: TextureImage = TextureImage()) throws(SafelightError) {
    let gl = context.gl
    let point = GLenum(GL_FRAMEBUFFER)
    try attach(image, to: point)
    let status = gl.table.glCheckFramebufferStatus(point)
    guard status == GLenum(GL_FRAMEBUFFER_COMPLETE) else {
      throw SafelightError(
        .driver, "render target of \(descriptor.size) \(descriptor.pixelFormat.rawValue)",
        why: "the framebuffer is incomplete (0x\(String(status, radix: 16)))", remedy: "use the device software or cpu")
    }
    let size = descriptor.size(atLevel: image.level)
    try gl.call("glViewport") { $0.glViewport(0, 0, GLsizei(size.width), GLsizei(size.height)) }
  }

  /// Binds a framebuffer, by default the texture's own, to `target` with an image of the texture attached.
  func attach(_ image: TextureImage, to target: GLenum, framebuffer other: GLuint? = nil) throws(SafelightError) {
    try context.gl.call("glBindFramebuffer") { $0.glBindFramebuffer(target, other ?? framebuffer.rawValue) }
    try attach(image, to: format.attachmentPoint, of: target)
  }

  /// Attaches an image of the texture to the framebuffer bound to `target`.
  func attach(_ image: TextureImage, to point: GLenum, of target: GLenum) throws(SafelightError) {
    let level = GLint(baseLevel + image.level)
    switch descriptor.textureType {
    case .type2D, .typeCube, .type2DMultisample:
      try context.gl.call("glFramebufferTexture2D") {
        $0.glFramebufferTexture2D(target, point, imageTarget(image.slice), name, level)
      }
    case .type2DArray, .type3D, .type2DMultisampleArray:
      try context.gl.call("glFramebufferTextureLayer") {
        $0.glFramebufferTextureLayer(target, point, name, level, GLint(image.slice))
      }
    }
  }

  /// Fills an image with `value` in every sample (`glClearBuffer`); depths and stencils with zeros.
  package func clear(
    _ image: TextureImage = TextureImage(), to value: (Float, Float, Float, Float) = (0, 0, 0, 0)
  ) throws(SafelightError) {
    try bindRenderTarget(image)
    let pixelFormat = descriptor.pixelFormat
    let values = [value.0, value.1, value.2, value.3]
    switch pixelFormat.sampleKind {
    case .integer:
      let words = values.map { GLuint(pixelFormat.sample(normalized: $0)) }
      try context.gl.call("glClearBufferuiv") { unsafe $0.glClearBufferuiv(GLenum(GL_COLOR), 0, words) }
    case .normalized:
      // As in the render form of the point kernels: rounds and truncates to the sample alike.
      let shares = values.map { (Float(pixelFormat.sample(normalized: $0)) + 0.25) / Float(pixelFormat.maximum) }
      try context.gl.call("glClearBufferfv") { unsafe $0.glClearBufferfv(GLenum(GL_COLOR), 0, shares) }
    case .float:
      try context.gl.call("glClearBufferfv") { unsafe $0.glClearBufferfv(GLenum(GL_COLOR), 0, values) }
    case .depth, .stencil:
      if format.attachmentPoint != GLenum(GL_STENCIL_ATTACHMENT) { try context.clearDepth(to: 0) }
      if format.attachmentPoint != GLenum(GL_DEPTH_ATTACHMENT) { try context.clearStencil(to: 0) }
    }
  }
}

extension TextureFormat {
  /// Where an image of it is attached by itself.
  fileprivate var attachmentPoint: GLenum {
    switch Int32(transferFormat) {
    case GL_DEPTH_COMPONENT: GLenum(GL_DEPTH_ATTACHMENT)
    case GL_STENCIL_INDEX: GLenum(GL_STENCIL_ATTACHMENT)
    case GL_DEPTH_STENCIL: GLenum(GL_DEPTH_STENCIL_ATTACHMENT)
    default: GLenum(GL_COLOR_ATTACHMENT0)
    }
  }
}
