internal import SafelightImage

/// Throws an error unless `condition` is true; the counterpart of ``trap(unless:_:file:line:)`` for what data or a
/// device can cause. The texts are evaluated only then.
func ensure(
  _ condition: Bool, _ kind: SafelightError.Kind, _ what: @autoclosure () -> String, why: @autoclosure () -> String,
  remedy: @autoclosure () -> String
) throws(SafelightError) {
  if !condition { throw SafelightError(kind, what(), why: why(), remedy: remedy()) }
}
