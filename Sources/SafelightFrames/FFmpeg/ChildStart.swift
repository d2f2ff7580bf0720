internal import Glibc
package import SafelightImage
import Subprocess
import SystemPackage

/// The resources that a child process needs to start: swift-subprocess traps if it cannot open all of its descriptors.
package enum ChildStart {
  /// The pipes of a child, their copies, and what watches them; 12 were counted.
  private static let descriptorCount = 16

  /// Throws ``SafelightError`` of kind `resources` if the program `name` could not be started for lack of descriptors.
  package static func prepare(_ name: String) throws(SafelightError) {
    try ProcessLimits.requireDescriptors(descriptorCount, for: name)
  }

  /// Makes an empty input: a pipe that is closed at its other end, since a sandbox may have no /dev/null.
  package static func noInput(of name: String) throws(SafelightError) -> Int32 {
    let ends = try ConnectedDescriptors(for: name)
    close(ends.write)
    return ends.read
  }

  /// The error of kind `resources` for the program `name`, if that is why it could not be started; else nil.
  package static func shortage(_ error: any Error, of name: String) -> SafelightError? {
    guard let code = (error as? SubprocessError)?.underlyingError,
      [.resourceTemporarilyUnavailable, .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory].contains(code)
    else { return nil }
    return SafelightError(
      .resources, name, why: "it cannot be started: \(code)",
      remedy: "raise the limits on processes and open files (ulimit -u, ulimit -n)")
  }
}
