internal import CGLES
package import SafelightImage

/// A GPU that was reset takes its contexts and everything in them with it (KHR_robustness).
extension Context {
  /// Why the context is lost, for good; nil while it works. Asks the driver.
  package var lossReason: String? {
    // The driver says so once and may take it back when the reset is over; the context stays lost.
    if gl.lossReason == nil { gl.lossReason = reportsResets ? resetReason : nil }
    return gl.lossReason
  }

  /// Throws when the context is lost.
  package func checkReset() throws(SafelightError) {
    guard let reason = lossReason else { return }
    throw SafelightError(
      .driver, renderer, why: reason, remedy: "run again; if it repeats, use the device software or cpu, and see dmesg")
  }

  /// Behaves from now on as if the GPU had been reset: the fault that no test can provoke in a driver.
  package func simulateLoss() { gl.lossReason = "the GPU was reset by a simulation" }

  private var resetReason: String? {
    guard let status = gl.table.glGetGraphicsResetStatus?() else { return nil }
    switch Int32(status) {
    case GL_GUILTY_CONTEXT_RESET: return "the GPU was reset by this work"
    case GL_INNOCENT_CONTEXT_RESET: return "the GPU was reset by other work"
    case GL_UNKNOWN_CONTEXT_RESET: return "the GPU was reset for an unknown reason"
    // Some drivers answer garbage: only the three defined values count.
    default: return nil
    }
  }
}
