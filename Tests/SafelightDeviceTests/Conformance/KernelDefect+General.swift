import Safelight
import SafelightKernels
import TestSupport

extension KernelDefect {
  /// A swapped channel and a dropped last row in both forms of every point kernel.
  static var general: [KernelDefect] {
    get throws {
      let kernels = try ConformanceKernel.all.filter { try $0.isPointKernel }
      // One call of each is enough: they share what is broken.
      var seen: Set<String> = []
      return try kernels.filter { seen.insert("\($0.name) \($0.isCompute)").inserted }.flatMap { kernel in
        (try kernel.readsItsPixel
          ? [
            KernelDefect(
              .channel, kernel.settings, "pointKernel(fetchPixel(source, \(kernel.position)))",
              "pointKernel(fetchPixel(source, \(kernel.position)).gbra)")
          ] : []) + [
            kernel.isCompute
              ? KernelDefect(
                .lastRow, kernel.settings, "if (isOutsideGrid()) return;",
                "if (isOutsideGrid() || gl_GlobalInvocationID.y + 1u == safelight_threadsPerGrid.y) return;")
              : KernelDefect(
                .lastRow, kernel.settings, "uvec4 result = pointKernel",
                "if (int(gl_FragCoord.y) + 1 == textureSize(source, 0).y) discard;\n  uvec4 result = pointKernel")
          ]
      }
    }
  }
}

extension ConformanceKernel {
  fileprivate var isCompute: Bool { settings.hasSuffix(", compute") }
  /// Whether it uses the pixel at its place as it is handed over, and not among those around.
  fileprivate var readsItsPixel: Bool { get throws { try !records("uvec4 neighbor(") } }
  fileprivate var position: String { isCompute ? "position" : "pixelPosition()" }

  /// Whether what is recorded last is one of the two point functions.
  fileprivate var isPointKernel: Bool { get throws { try records("pointKernel(fetchPixel(source, ") } }

  /// Whether a function with `text` in it is recorded.
  private func records(_ text: String) throws -> Bool {
    guard let format = formats.last else { return false }
    let device = try Device.open(.cpu)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    let black = [UInt8](repeating: 0, count: 64 * 64 * format.bytesPerPixel)
    try make(device)(ConformanceScene(in: buffer, black, "black", Size(64, 64), format, poison: 0))
    return buffer.recording.hasFunction(containing: text)
  }
}
