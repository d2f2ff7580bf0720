internal import CEGL
internal import CGLES
internal import Glibc
package import SafelightImage

/// Memory that EGL passes from a dma-buf to a texture, or from a texture to a dma-buf.
///
/// A texture made from an image keeps its memory alive (EGL_KHR_image_base, "EGLImage siblings"), so the image itself
/// is short-lived.
@safe struct EGLImage: ~Copyable {
  private let image: EGLImageKHR
  private let connection: DisplayConnection

  /// Imports a plane of `buffer` without copying it (EGL_EXT_image_dma_buf_import); the buffer keeps its descriptors.
  init(importing buffer: DMABuffer, plane index: Int, _ context: Context) throws(SafelightError) {
    try Self.checkImport(context)
    guard context.features.contains(.dmaBufferImport) else {
      throw Self.missing("import of dma-bufs, as it was opened with limits", to: "import")
    }
    let connection = context.connection
    let plane = buffer.planes[index]
    try Self.avoidUnmappableImport(of: plane.descriptor, context)
    let size = buffer.format.size(ofPlane: index, in: buffer.size)
    var attributes: [EGLint] = [
      EGL_WIDTH, EGLint(size.width), EGL_HEIGHT, EGLint(size.height),
      EGL_LINUX_DRM_FOURCC_EXT, EGLint(bitPattern: buffer.format.plane(index).rawValue),
      EGL_DMA_BUF_PLANE0_FD_EXT, plane.descriptor,
      EGL_DMA_BUF_PLANE0_OFFSET_EXT, EGLint(plane.offset),
      EGL_DMA_BUF_PLANE0_PITCH_EXT, EGLint(plane.stride),
      EGL_IMAGE_PRESERVED_KHR, EGLint(EGL_TRUE),
    ]
    if let modifier = buffer.modifier {
      if connection.extensions.contains("EGL_EXT_image_dma_buf_import_modifiers") {
        attributes += [
          EGL_DMA_BUF_PLANE0_MODIFIER_LO_EXT, EGLint(truncatingIfNeeded: modifier),
          EGL_DMA_BUF_PLANE0_MODIFIER_HI_EXT, EGLint(truncatingIfNeeded: modifier >> 32),
        ]
      } else if !buffer.isLinear {
        try Self.require("EGL_EXT_image_dma_buf_import_modifiers", of: connection, to: "import with a tiling")
      }
    }
    attributes.append(EGL_NONE)
    let made = unsafe connection.library.egl.eglCreateImageKHR?(
      connection.display, nil, EGLenum(EGL_LINUX_DMA_BUF_EXT), nil, attributes)
    guard let made = unsafe made ?? nil else {
      throw Self.refused("dma-buf plane \(index) of \(buffer.size) \(buffer.format)", connection)
    }
    unsafe image = unsafe made
    self.connection = connection
  }

  /// Makes an image of a texture's first level (EGL_KHR_gl_texture_2D_image).
  init(of texture: TextureObject, _ context: Context) throws(SafelightError) {
    let connection = context.connection
    try Self.require("EGL_KHR_gl_texture_2D_image", of: connection, to: "export")
    // EGL takes the texture's name in place of a pointer.
    let client = unsafe EGLClientBuffer(bitPattern: UInt(texture.name))
    let attributes = [EGL_GL_TEXTURE_LEVEL_KHR, 0, EGL_IMAGE_PRESERVED_KHR, EGLint(EGL_TRUE), EGL_NONE]
    let made = unsafe connection.library.egl.eglCreateImageKHR?(
      connection.display, context.handle, EGLenum(EGL_GL_TEXTURE_2D_KHR), client, attributes)
    guard let made = unsafe made ?? nil else { throw Self.refused("texture to share", connection) }
    unsafe image = unsafe made
    self.connection = connection
  }

  deinit { _ = unsafe connection.library.egl.eglDestroyImageKHR?(connection.display, image) }

  /// Makes this the memory of the texture bound to `GL_TEXTURE_2D` (GL_OES_EGL_image); some drivers access it only now,
  /// and may fail.
  borrowing func becomeTexture(_ gl: GLFunctions) throws(SafelightError) {
    unsafe gl.table.glEGLImageTargetTexture2DOES?(GLenum(GL_TEXTURE_2D), image)
    do throws(SafelightError) {
      try gl.check("glEGLImageTargetTexture2DOES")
    } catch {
      throw SafelightError(
        .unsupported, error.what, why: "the driver cannot make a texture of this memory: \(error.why)",
        remedy: "copy pictures by uploads and readbacks, or share memory with another layout")
    }
  }

  /// Exports the memory as a dma-buf (EGL_MESA_image_dma_buf_export).
  borrowing func export(size: Size) throws(SafelightError) -> DMABuffer {
    try Self.require("EGL_MESA_image_dma_buf_export", of: connection, to: "export")
    let egl = connection.library.egl
    var (code, count, modifier): (Int32, Int32, EGLuint64KHR) = (0, 0, 0)
    let isKnown = unsafe egl.eglExportDMABUFImageQueryMESA?(connection.display, image, &code, &count, &modifier)
    guard isKnown == EGLBoolean(EGL_TRUE) else { throw Self.refused("texture to share", connection) }
    guard let format = DRMFormat(rawValue: UInt32(bitPattern: code)), count == 1 else {
      throw SafelightError(
        .unsupported, "texture to share",
        why: "the driver stores it in \(count) planes of format 0x\(String(code, radix: 16)), which cannot be shared",
        remedy: "render into an imported buffer instead, or read the texture back")
    }
    var (descriptor, stride, offset): (Int32, EGLint, EGLint) = (-1, 0, 0)
    let isShared = unsafe egl.eglExportDMABUFImageMESA?(connection.display, image, &descriptor, &stride, &offset)
    guard isShared == EGLBoolean(EGL_TRUE), descriptor >= 0 else { throw Self.refused("texture to share", connection) }
    let plane = DMABuffer.Plane(descriptor: descriptor, offset: Int(offset), stride: Int(stride))
    return try DMABuffer(
      adopting: [plane], format: format, size: size, modifier: modifier == DMABuffer.unknownModifier ? nil : modifier)
  }

  /// Throws an error of kind `unsupported` if a context cannot import dma-bufs.
  static func checkImport(_ context: Context) throws(SafelightError) {
    try require("EGL_EXT_image_dma_buf_import", of: context.connection, to: "import")
    guard context.extensions.contains("GL_OES_EGL_image") else { throw missing("GL_OES_EGL_image", to: "import") }
    try avoidRenderNode(context)
    try avoidLavapipe(context)
  }

  /// Throws an error of kind `unsupported` if a context cannot export textures.
  static func checkExport(_ context: Context) throws(SafelightError) {
    try require("EGL_KHR_gl_texture_2D_image", of: context.connection, to: "export")
    try require("EGL_MESA_image_dma_buf_export", of: context.connection, to: "export")
  }

  private static func require(
    _ name: Substring, of connection: DisplayConnection, to purpose: String
  ) throws(SafelightError) {
    // A function pointer does not prove support: glvnd returns stubs.
    guard connection.extensions.contains(name) else { throw missing(String(name), to: purpose) }
  }

  private static func missing(_ name: String, to purpose: String) -> SafelightError {
    SafelightError(
      .unsupported, "dma-buf \(purpose)", why: "the driver has no \(name)",
      remedy: "copy pictures by uploads and readbacks, or open the device through its DRM node")
  }

  private static func refused(_ what: String, _ connection: DisplayConnection) -> SafelightError {
    SafelightError(
      .unsupported, what, why: "the driver refused it: \(connection.library.takeError())",
      remedy: "copy pictures by uploads and readbacks, or share memory that this device's driver made")
  }
}

extension TextureObject {
  /// Exports the memory of the first level.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if the driver cannot share it.
  package func export() throws(SafelightError) -> DMABuffer {
    try EGLImage(of: self, context).export(size: descriptor.size)
  }
}

/// Driver workaround "unmappable imports".
///
/// Symptom: a software renderer on a DRM node imports a dma-buf that the node cannot map, and crashes when it first
/// uses it, as it ignores the result of `DRM_IOCTL_MODE_MAP_DUMB`. Render nodes map nothing (EACCES), primary nodes
/// only their own memory (EINVAL for another device's). Driver: llvmpipe on GBM, Mesa 22.3.6 (kms_swrast). Test:
/// DMABufferImportDeviceTests, in scripts/test-render-node. Remove it once kms_swrast refuses such an import itself.
extension EGLImage {
  /// Throws an error of kind `unsupported` for a software renderer on a node that maps nothing.
  static func avoidRenderNode(_ context: Context) throws(SafelightError) {
    guard context.isSoftware, let node = context.connection.node, node.isRenderNode else { return }
    throw refused(node, "the kernel lets no render node map memory")
  }

  /// Asks the kernel what the driver does not: throws an error of kind `unsupported` if a software renderer's node
  /// cannot map the buffer.
  static func avoidUnmappableImport(of descriptor: Int32, _ context: Context) throws(SafelightError) {
    guard context.isSoftware, let node = context.connection.node else { return }
    // A separate file, so that the driver's handles are not closed.
    let file = try node.open()
    defer { close(file) }
    // struct drm_prime_handle: handle, flags, descriptor; DRM_IOCTL_PRIME_FD_TO_HANDLE.
    var imported: (UInt32, UInt32, Int32) = (0, 0, descriptor)
    guard unsafe ioctl(file, 0xC00C_642E, &imported) == 0 else {
      throw refused(node, unsafe String(cString: strerror(errno)))
    }
    // struct drm_mode_map_dumb: handle, padding, offset; DRM_IOCTL_MODE_MAP_DUMB.
    var mapped: (UInt32, UInt32, UInt64) = (imported.0, 0, 0)
    guard unsafe ioctl(file, 0xC010_64B3, &mapped) == 0 else {
      throw refused(node, unsafe String(cString: strerror(errno)))
    }
  }

  /// Driver workaround "lavapipe imports": throws on zink on lavapipe, so that frames are copied.
  ///
  /// Symptom: a texture over shared memory does not show later writes by the process, or the process crashes. Driver:
  /// zink on lavapipe, Mesa 25.0.7. Test: DMABufferFrameDeviceTests, on that stack in scripts/check-drivers. Remove it
  /// once lavapipe of every supported Mesa passes.
  static func avoidLavapipe(_ context: Context) throws(SafelightError) {
    guard context.isSoftware, context.renderer.contains("zink") else { return }
    throw SafelightError(
      .unsupported, "dma-buf import", why: "zink on lavapipe does not see changes to shared memory",
      remedy: "copy the frame instead of sharing it, or use another driver")
  }

  private static func refused(_ node: RenderNode, _ reason: String) -> SafelightError {
    SafelightError(
      .unsupported, "dma-buf import", why: "a software renderer cannot map this memory through \(node.path): \(reason)",
      remedy:
        "import memory that this device allocated, open the device through its primary node (/dev/dri/card0), or "
        + "copy pictures instead"
    )
  }
}
