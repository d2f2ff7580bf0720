internal import CGLES
internal import Glibc

/// The entry points of one context, tied to the thread that owns it.
///
/// Not `Sendable`: the compiler keeps every GL call on the context thread, and ``assertOnContextThread()`` watches the
/// `deinit`s, which the compiler does not.
@safe final class GLFunctions {
  let table: safelight_gles
  private let owner = pthread_self()
  /// True when the error flag is read after every call, not once a command (`SAFELIGHT_DEBUG=1`).
  var checksEveryCall = false

  init(table: safelight_gles) { self.table = table }

  func assertOnContextThread() {
    assert(
      pthread_equal(owner, pthread_self()) != 0,
      "a GL object died off its context thread; keep GL objects inside the executor")
  }
}
