/// An error that says what failed, why, and what to do, sorted by who can act.
///
/// The whole package throws this one type, so that a message is written once, where the fault is found, and passed on
/// unchanged.
public struct SafelightError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of error, by who can act.
  public enum Kind: String, Sendable {
    /// The machine: no device as asked, no driver, no permission.
    case environment
    /// Too little memory, too few threads or open files for this process; it may succeed elsewhere or later.
    case resources
    /// The caller's data: a broken file, a size that does not fit.
    case input
    /// A file or folder that does not exist or is empty.
    case missingInput
    /// An output that cannot be created.
    case output
    /// A read or write that failed halfway.
    case transfer
    /// More than the device or a configured limit allows.
    case limit
    /// Something that the device, build or format does not support.
    case unsupported
    /// The driver: a shader it rejected, a context it lost.
    case driver
    /// The author of a kernel: passes that contradict each other, or a twin that contradicts its pass.
    case kernel
    /// A comparison that found a difference.
    case difference
    /// Two pictures that cannot be compared: another size, depth or number of channels.
    case incomparable
    /// A golden image or frame that a comparison lacks, or one too many.
    case missingFrame
    /// A parameter outside its range, or an unknown name.
    case usage
  }

  /// A setting that helps if the program offers it to its user, under any name. Each module declares those of its own
  /// functions.
  public struct Setting: Hashable, Sendable {
    /// The name in the library, such as `frameRate`.
    public let name: String

    package init(_ name: String) { self.name = name }
  }

  /// The kind of the error, by who can act.
  public let kind: Kind
  /// The object or the operation that failed: a file's name, a device, a kernel.
  public let what: String
  /// The reason, with the figures that prove it.
  public let why: String
  /// The action that helps, in the imperative.
  public let remedy: String?
  /// The setting that the remedy changes; nil if it changes none.
  public let setting: Setting?

  /// Makes an error; the texts end without a period.
  public init(_ kind: Kind, _ what: String, why: String, remedy: String? = nil, setting: Setting? = nil) {
    self.kind = kind
    self.what = what
    self.why = why
    self.remedy = remedy
    self.setting = setting
  }

  /// Returns the same error with `subject`, the work in progress, at the beginning of its message.
  public func during(_ subject: String) -> SafelightError {
    SafelightError(kind, what.isEmpty ? subject : "\(subject): \(what)", why: why, remedy: remedy, setting: setting)
  }

  /// One line that says what failed, why, and the remedy; several lines if the reason quotes a compiler.
  public var description: String {
    let reason = [what, why].filter { !$0.isEmpty }.joined(separator: ": ")
    // A compiler's messages, with lines of the text, end with a line of their own.
    return reason + (remedy.map { (why.contains("\n") ? "\n" : "; ") + $0 } ?? "")
  }
}

/// Stops the program if the caller broke a function's requirement, and prints what to do about it, in every build.
///
/// `precondition(_:_:)` stops an optimized program without printing anything, so that only debug builds would show the
/// remedy. This function prints `file:line: Fatal error: message` to standard error, with the line of the function that
/// noticed it. If data rather than code can be wrong, throw an error.
///
/// - Parameters:
///   - condition: The requirement that every caller must meet.
///   - message: The fault and its remedy; evaluated only if `condition` is false.
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

/// Throws an error unless `condition` is true; the counterpart of ``trap(unless:_:file:line:)`` for what data or a
/// device can cause. The texts are evaluated only if it throws.
package func ensure(
  _ condition: Bool, _ kind: SafelightError.Kind, _ what: @autoclosure () -> String, why: @autoclosure () -> String,
  remedy: @autoclosure () -> String? = nil, setting: SafelightError.Setting? = nil
) throws(SafelightError) {
  if !condition { throw SafelightError(kind, what(), why: why(), remedy: remedy(), setting: setting) }
}

/// Returns `value`, or throws an error if it is nil, as ``ensure(_:_:_:why:remedy:setting:)`` does.
package func required<Value>(
  _ value: Value?, _ kind: SafelightError.Kind, _ what: @autoclosure () -> String, why: @autoclosure () -> String,
  remedy: @autoclosure () -> String? = nil, setting: SafelightError.Setting? = nil
) throws(SafelightError) -> Value {
  guard let value else { throw SafelightError(kind, what(), why: why(), remedy: remedy(), setting: setting) }
  return value
}
