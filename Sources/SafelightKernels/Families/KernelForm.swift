/// In which of its two forms a point kernel runs; both give the same bytes.
public enum KernelForm: String, Sendable, CaseIterable {
  /// The form that was measured to be the faster one: ``render``.
  ///
  /// On llvmpipe the strip took 18 to 25 ms for a 1080p frame of 8 bits where the compute kernel took 24 to 33, since
  /// colors leave it as vectors and image stores one by one; Arm advises fragment functions for simple image work too.
  /// `safelight bench` measures both.
  case automatic
  /// A compute function with image stores; not for one-channel formats, to which OpenGL ES 3.1 cannot store.
  case compute
  /// A fragment function on the full-screen triangle strip.
  case render
}
