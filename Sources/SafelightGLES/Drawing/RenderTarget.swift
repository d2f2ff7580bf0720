internal import CGLES
package import SafelightImage

/// The value that clears an attachment, in its shader's type.
package enum ClearValue: Hashable, Sendable {
  /// Red, green, blue and alpha of normalized and float formats.
  case floats([Float])
  /// Red, green, blue and alpha of unsigned integer formats.
  case words([UInt32])

  /// The value that drivers store as the sample nearest to this one, rounding or truncating (ES 3.1 §2.3.4.2).
  package func exact(in format: PixelFormat) -> ClearValue {
    guard case .floats(let values) = self, format.sampleKind == .normalized else { return self }
    return .floats(values.map { (Float(format.sample(normalized: $0)) + 0.25) / Float(format.maximum) })
  }
}

/// The part of a framebuffer that an image is attached to.
package enum AttachmentPoint: Hashable, Sendable {
  /// The color output with this `location`.
  case color(Int)
  case depth
  case stencil

  fileprivate var glValue: GLenum {
    switch self {
    case .color(let index): GLenum(GL_COLOR_ATTACHMENT0) + GLenum(index)
    case .depth: GLenum(GL_DEPTH_ATTACHMENT)
    case .stencil: GLenum(GL_STENCIL_ATTACHMENT)
    }
  }

  fileprivate var isColor: Bool { if case .color = self { true } else { false } }
}

/// An image that a pass draws into.
package struct RenderTargetAttachment {
  package var texture: TextureObject
  package var image: TextureImage
  package var point: AttachmentPoint

  package init(_ texture: TextureObject, _ image: TextureImage, at point: AttachmentPoint = .color(0)) {
    self.texture = texture
    self.image = image
    self.point = point
  }

  fileprivate var size: Size { texture.descriptor.size(atLevel: image.level) }

  fileprivate func isSame(_ other: RenderTargetAttachment) -> Bool {
    texture === other.texture && image == other.image && point == other.point
  }
}

/// The framebuffer of all render passes of a context; attachments change only if a pass has others than the one before.
package final class RenderTarget {
  private let context: Context
  private let framebuffer: GLName
  /// The framebuffer that resolves write to.
  private let resolving: GLName
  private var attachments: [RenderTargetAttachment] = []

  package init(_ context: Context) {
    self.context = context
    framebuffer = GLName(.framebuffer, context.gl)
    resolving = GLName(.framebuffer, context.gl)
  }

  /// Makes draws and clears write to `attachments`: colors first, in the order of the function's `location`s.
  package func bind(_ attachments: [RenderTargetAttachment]) throws(SafelightError) {
    let target = GLenum(GL_FRAMEBUFFER)
    try context.gl.call("glBindFramebuffer") { $0.glBindFramebuffer(target, framebuffer.rawValue) }
    let isBound =
      attachments.count == self.attachments.count
      && zip(attachments, self.attachments).allSatisfy { $0.isSame($1) }
    guard !isBound else { return }
    detach()
    self.attachments = attachments
    do throws(SafelightError) {
      try attach()
    } catch {
      // A partly attached framebuffer must not count as bound next time.
      detach()
      throw error
    }
  }

  private func attach() throws(SafelightError) {
    let target = GLenum(GL_FRAMEBUFFER)
    for attachment in attachments {
      try attachment.texture.attach(attachment.image, to: attachment.point.glValue, of: target)
    }
    let points = attachments.map(\.point).filter(\.isColor).map(\.glValue)
    try context.gl.call("glDrawBuffers") { unsafe $0.glDrawBuffers(GLsizei(points.count), points) }
    try context.checkFramebuffer(
      of: attachments.map { "\($0.size) \($0.texture.descriptor.pixelFormat.rawValue)" }.joined(separator: ", "))
  }

  /// Lets the driver drop the contents of `points` (`glInvalidateFramebuffer`); the target must be bound.
  package func discard(_ points: [AttachmentPoint]) throws(SafelightError) {
    let points = points.map(\.glValue)
    try context.gl.call("glInvalidateFramebuffer") {
      unsafe $0.glInvalidateFramebuffer(GLenum(GL_FRAMEBUFFER), GLsizei(points.count), points)
    }
  }

  /// Writes the mean of the samples of the attachment at `index` to `image` (`glBlitFramebuffer`); the target must be
  /// bound.
  package func resolve(_ index: Int, into image: RenderTargetAttachment) throws(SafelightError) {
    let draw = GLenum(GL_DRAW_FRAMEBUFFER)
    try context.gl.call("glBindFramebuffer") { $0.glBindFramebuffer(draw, resolving.rawValue) }
    try image.texture.attach(image.image, to: image.point.glValue, of: draw)
    defer {
      // The framebuffer must not keep the texture alive after its owner releases it.
      context.gl.table.glFramebufferTexture2D(draw, image.point.glValue, GLenum(GL_TEXTURE_2D), 0, 0)
      context.gl.table.glBindFramebuffer(GLenum(GL_FRAMEBUFFER), framebuffer.rawValue)
    }
    try context.gl.call("glReadBuffer") { $0.glReadBuffer(AttachmentPoint.color(index).glValue) }
    let size = attachments[index].size
    try context.gl.call("glBlitFramebuffer") {
      $0.glBlitFramebuffer(
        0, 0, GLint(size.width), GLint(size.height), 0, 0, GLint(size.width), GLint(size.height),
        GLbitfield(GL_COLOR_BUFFER_BIT), GLenum(GL_NEAREST))
    }
  }

  /// Detaches a texture that its owner releases.
  package func forget(_ texture: TextureObject) {
    guard attachments.contains(where: { $0.texture === texture }) else { return }
    let target = GLenum(GL_FRAMEBUFFER)
    context.gl.table.glBindFramebuffer(target, framebuffer.rawValue)
    detach()
    // Drivers complain about a bound framebuffer without attachments.
    context.gl.table.glBindFramebuffer(target, 0)
  }

  private func detach() {
    for attachment in attachments {
      context.gl.table.glFramebufferTexture2D(
        GLenum(GL_FRAMEBUFFER), attachment.point.glValue, GLenum(GL_TEXTURE_2D), 0, 0)
    }
    attachments = []
  }
}

extension Context {
  /// Fills the color attachment at `index` of the bound framebuffer (`glClearBuffer`).
  package func clearColor(_ index: Int = 0, to value: ClearValue) throws(SafelightError) {
    switch value {
    case .words(let words):
      try gl.call("glClearBufferuiv") { unsafe $0.glClearBufferuiv(GLenum(GL_COLOR), GLint(index), words) }
    case .floats(let values):
      try gl.call("glClearBufferfv") { unsafe $0.glClearBufferfv(GLenum(GL_COLOR), GLint(index), values) }
    }
  }

  /// Throws an error that names the attached `images` if the bound framebuffer is incomplete.
  func checkFramebuffer(of images: @autoclosure () -> String) throws(SafelightError) {
    let status = gl.table.glCheckFramebufferStatus(GLenum(GL_FRAMEBUFFER))
    try ensure(
      status == GLenum(GL_FRAMEBUFFER_COMPLETE), .driver, "render target of \(images())",
      why: "the framebuffer is incomplete (0x\(String(status, radix: 16)))",
      remedy: "use the device 'software' or 'cpu'")
  }
}
