internal import Glibc
internal import SafelightImage
internal import Synchronization

/// The wish for captures that comes from outside: the variable `SAFELIGHT_CAPTURE` names a folder.
///
/// This module writes no files. Whoever can write the folder says so once with ``install(_:)``, before a device is opened;
/// `CaptureFolder.install()` does.
public enum CaptureRequest {
  /// The name of the variable.
  public static let variable = "SAFELIGHT_CAPTURE"

  private static let installed = Mutex<(any CaptureSink)?>(nil)

  /// Every device that is opened from now on, while the variable is set, sends all its command buffers to `sink`; nil takes it back.
  public static func install(_ sink: (any CaptureSink)?) { installed.withLock { $0 = sink } }

  /// The folder that the variable names; nil where it is not set.
  public static var folder: String? {
    guard let value = unsafe getenv(variable) else { return nil }
    let path = unsafe String(cString: value)
    return path.isEmpty ? nil : path
  }

  /// Where all command buffers of a device that is being opened go; throws where captures were asked for and nobody takes them.
  static func sink() throws(SafelightError) -> (any CaptureSink)? {
    guard let folder else { return nil }
    if let sink = installed.withLock({ $0 }) { return sink }
    throw SafelightError(
      .usage, "\(variable)=\(folder)", why: "this program has nothing that writes captures",
      remedy: "call CaptureFolder.install() before the device is opened, or unset the variable")
  }
}
