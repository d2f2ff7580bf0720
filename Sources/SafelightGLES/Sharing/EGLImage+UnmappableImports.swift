internal import Glibc
internal import SafelightImage

/// Workaround "unmappable imports".
///
/// Symptom: a software renderer on a DRM node takes a dma-buf that the node refuses to map, and ends the process at its first use, as it
/// does not look at the answer of `DRM_IOCTL_MODE_MAP_DUMB`. Render nodes map none (EACCES), primary nodes only their own (EINVAL for
/// those of another device). Driver: llvmpipe on GBM, Mesa 22.3.6 (kms_swrast). Tests: DMABufferImportDeviceTests, in
/// scripts/test-render-node. It can go once kms_swrast refuses such an import by itself.
extension EGLImage {
  /// Throws for a software renderer on a node that maps nothing.
  static func avoidRenderNode(_ context: Context) throws(SafelightError) {
    guard context.isSoftware, let node = context.connection.node, node.isRenderNode else { return }
    throw refused(node, "a render node maps no shared memory")
  }

  /// Asks the kernel what the driver does not: throws for a software renderer where its node does not map the buffer.
  static func avoidUnmappableImport(of descriptor: Int32, _ context: Context) throws(SafelightError) {
    guard context.isSoftware, let node = context.connection.node else { return }
    // On a descriptor of its own: handles of the driver's must not be closed under it.
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

  /// Workaround "lavapipe imports": throws on zink on lavapipe, so that frames are copied.
  ///
  /// Symptom: a texture over shared memory does not show what the process writes there later, or the process crashes.
  /// Driver: zink on lavapipe, Mesa 25.0.7. Test: DMABufferFrameDeviceTests, on that stack in scripts/check-drivers.
  /// Remove it once lavapipe of every supported Mesa passes.
  static func avoidLavapipe(_ context: Context) throws(SafelightError) {
    guard context.isSoftware, context.renderer.contains("zink") else { return }
    throw SafelightError(
      .unsupported, "dma-buf import", why: "zink on lavapipe does not follow changes of shared memory",
      remedy: "copy the frame, or use another driver")
  }

  private static func refused(_ node: RenderNode, _ reason: String) -> SafelightError {
    SafelightError(
      .unsupported, "dma-buf import", why: "a software renderer cannot map this memory through \(node.path): \(reason)",
      remedy: "share memory of this very device, open the device through its primary node (/dev/dri/card0), or copy")
  }
}
