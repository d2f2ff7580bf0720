internal import CGLES
internal import SafelightImage

extension GLFunctions {
  /// Makes one GL call that can fail.
  ///
  /// The error flag is read after every call under `SAFELIGHT_DEBUG=1`, and once a command by ``check(_:)`` otherwise:
  /// `glGetError` may stall drivers that run calls on a thread of their own.
  func call<Result>(_ name: StaticString, _ body: (borrowing safelight_gles) -> Result) throws(SafelightError) -> Result
  {
    let result = body(table)
    if checksEveryCall { try check(name.description) }
    return result
  }

  /// Turns the error flag into a thrown value that names `call`.
  func check(_ call: String) throws(SafelightError) {
    let code = table.glGetError()
    guard code != UInt32(GL_NO_ERROR) else { return }
    let error = GLError(code: code, call: call)
    if error.isContextLost && lossReason == nil { lossReason = "\(call) said GL_CONTEXT_LOST" }
    throw error.asSafelightError
  }
}

extension GLError {
  /// The error sorted by who can act.
  var asSafelightError: SafelightError {
    if isOutOfMemory {
      SafelightError(
        .limit, call, why: "\(name): not enough GPU memory",
        remedy: "free GPU memory, or use a device with more, or the device cpu")
    } else if isContextLost {
      SafelightError(
        .driver, call, why: "\(name): the GPU was reset", remedy: "run again; see dmesg for the driver's reason")
    } else {
      SafelightError(
        .driver, call, why: name, remedy: "set SAFELIGHT_DEBUG=1 to see the driver's messages, and report it")
    }
  }
}
