internal import CGLES
package import SafelightImage

/// The format in which `glReadPixels` hands a texture out.
enum ReadbackFormat {
  /// As it is stored: the pair that the driver itself prefers.
  case direct
  /// Four bytes a pixel, which every driver offers for normalised targets (ES 3.2 §16.1.2).
  case rgba8
  /// Four 32-bit words a pixel, which every driver offers for unsigned targets.
  case rgba32
}

extension TextureObject {
  /// Copies `region` to `bytes`; `rowLength` is the distance of rows in pixels of the texture's own format.
  ///
  /// Waits for the commands before it, as `glReadPixels` into memory does.
  package func read(_ region: Region, into bytes: UnsafeMutableRawPointer, rowLength: Int, context: Context)
    throws(SafelightError)
  {
    try bindRenderTarget()
    switch readbackFormat(context) {
    case .direct:
      unsafe try readPixels(
        region, format.transferFormat, format.transferType, into: bytes, rowLength: rowLength, context)
    case .rgba8:
      unsafe try readWide(region, GL_RGBA, GL_UNSIGNED_BYTE, as: UInt8.self, into: bytes, rowLength: rowLength, context)
      {
        $0
      }
    case .rgba32:
      unsafe try readWide(
        region, GL_RGBA_INTEGER, GL_UNSIGNED_INT, as: UInt32.self, into: bytes, rowLength: rowLength, context
      ) { UInt16(truncatingIfNeeded: $0) }
    }
  }

  /// Asks the driver once a format; RGBA8 and 32-bit words are guaranteed, the rest is the driver's choice.
  private func readbackFormat(_ context: Context) -> ReadbackFormat {
    if let known = context.readbackFormats[pixelFormat] { return known }
    var preferred: (GLint, GLint) = (0, 0)
    unsafe context.gl.table.glGetIntegerv(GLenum(GL_IMPLEMENTATION_COLOR_READ_FORMAT), &preferred.0)
    unsafe context.gl.table.glGetIntegerv(GLenum(GL_IMPLEMENTATION_COLOR_READ_TYPE), &preferred.1)
    let isPreferred = preferred == (GLint(format.transferFormat), GLint(format.transferType))
    let found: ReadbackFormat =
      if pixelFormat == .rgba8Unorm || isPreferred { .direct } else { format.isInteger ? .rgba32 : .rgba8 }
    context.readbackFormats[pixelFormat] = found
    return found
  }

  private func readPixels(
    _ region: Region, _ format: GLenum, _ type: GLenum, into bytes: UnsafeMutableRawPointer, rowLength: Int,
    _ context: Context
  ) throws(SafelightError) {
    try context.gl.call("glPixelStorei") { $0.glPixelStorei(GLenum(GL_PACK_ROW_LENGTH), GLint(rowLength)) }
    try context.gl.call("glReadPixels") {
      unsafe $0.glReadPixels(
        GLint(region.x), GLint(region.y), GLsizei(region.size.width), GLsizei(region.size.height), format, type, bytes)
    }
  }

  /// Reads four wide samples a pixel and keeps as many as the texture has, narrowed by `narrow`.
  private func readWide<Wide: FixedWidthInteger & BitwiseCopyable, Narrow: BitwiseCopyable>(
    _ region: Region, _ format: Int32, _ type: Int32, as wide: Wide.Type, into bytes: UnsafeMutableRawPointer,
    rowLength: Int, _ context: Context, _ narrow: (Wide) -> Narrow
  ) throws(SafelightError) {
    let width = region.size.width
    let samples = pixelFormat.samplesPerPixel
    var rows = [Wide](repeating: 0, count: region.size.area * 4)
    let failure: SafelightError? = unsafe rows.withUnsafeMutableBytes { buffer in
      guard let base = buffer.baseAddress else { return nil }
      do throws(SafelightError) {
        unsafe try readPixels(region, GLenum(format), GLenum(type), into: base, rowLength: width, context)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
    for y in 0..<region.size.height {
      let out = unsafe bytes.advanced(by: y * rowLength * pixelFormat.bytesPerPixel)
      for x in 0..<width {
        for sample in 0..<samples {
          unsafe out.storeBytes(
            of: narrow(rows[(y * width + x) * 4 + sample]),
            toByteOffset: (x * samples + sample) * MemoryLayout<Narrow>.size, as: Narrow.self)
        }
      }
    }
  }
}
