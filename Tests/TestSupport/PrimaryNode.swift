import Glibc

/// A DRM node on which dma-bufs can be made, where there is one.
///
/// `SAFELIGHT_TEST_DMABUF_NODE` names it, such as `/dev/dri/card0`; without it the tests that need one do not run.
/// Where it is set they fail rather than be skipped, whatever is missing.
public enum PrimaryNode {
  /// The node's path; nil where none is named.
  public static let path: String? = {
    guard let path = getenv("SAFELIGHT_TEST_DMABUF_NODE").map({ String(cString: $0) }), !path.isEmpty else {
      return nil
    }
    return path
  }()
}
