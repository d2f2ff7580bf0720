internal import SafelightImage
internal import Synchronization

/// What was read from a function's text, once for each variant; shared by all copies of the function.
final class ReflectionCache: Sendable {
  private let known = Mutex<[ComputeVariant?: Result<FunctionReflection, SafelightError>]>([:])

  /// What is known of `variant`, else what `read` says, from now on.
  func reflection(
    _ variant: ComputeVariant?, _ read: () throws(SafelightError) -> FunctionReflection
  ) throws(SafelightError) -> FunctionReflection {
    if let known = known.withLock({ $0[variant] }) { return try known.get() }
    let result: Result<FunctionReflection, SafelightError>
    do throws(SafelightError) { result = .success(try read()) } catch { result = .failure(error) }
    known.withLock { $0[variant] = result }
    return try result.get()
  }
}
