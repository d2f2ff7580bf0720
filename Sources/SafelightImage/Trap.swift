/// Stops the program if the caller broke a function's requirement, and prints what to do about it, in every build.
///
/// `precondition(_:_:)` stops an optimized program without printing anything, so that only debug builds would show the
/// remedy. This function prints `file:line: Fatal error: message` to standard error, with the line of the function that
/// noticed it. Where data rather than code can be wrong, throw an error.
///
/// - Parameters:
///   - condition: What every caller must see to.
///   - message: What is wrong and what to do; evaluated only if `condition` is false.
@inlinable
package func trap(
  unless condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID,
  line: UInt = #line
) {
  if !condition() { trap(message(), file: file, line: line) }
}

/// Stops the program because of a mistake in the caller's code; see ``trap(unless:_:file:line:)``.
@inlinable
package func trap(_ message: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line) -> Never {
  fatalError(message(), file: file, line: line)
}
