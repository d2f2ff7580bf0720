@_exported public import SafelightFrames
@_exported public import SafelightGPU
@_exported public import SafelightGolden
@_exported public import SafelightImage
@_exported public import Testing

// One import for a test of pictures: what expectations take and return, the devices and files that pictures come from,
// and Swift Testing.

/// A type that names a tolerance: ``Tolerance`` itself, or a string such as `"max<=1"`.
public protocol ToleranceConvertible: Sendable {
  /// Returns the tolerance.
  ///
  /// - Throws: ``SafelightError`` of the kind `usage` that points at the character which cannot be read.
  func asTolerance() throws(SafelightError) -> Tolerance
}

extension Tolerance: ToleranceConvertible {
  /// Returns the tolerance itself.
  public func asTolerance() -> Tolerance { self }
}

extension String: ToleranceConvertible {
  /// Returns the tolerance that the text says.
  public func asTolerance() throws(SafelightError) -> Tolerance { try Tolerance(self) }
}

extension ToleranceConvertible {
  /// Returns the tolerance; nil after an issue at `sourceLocation` if the words cannot be read.
  func tolerance(at sourceLocation: SourceLocation) -> Tolerance? {
    do throws(SafelightError) {
      return try asTolerance()
    } catch {
      Issue.record("\(error)", sourceLocation: sourceLocation)
      return nil
    }
  }
}
