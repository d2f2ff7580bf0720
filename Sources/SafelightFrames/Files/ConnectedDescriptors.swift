import Glibc
import SafelightImage

/// Two descriptors of which one gets what is written to the other; no child inherits them, not even one that is started meanwhile.
struct ConnectedDescriptors {
  let read: Int32
  let write: Int32

  /// Throws a ``SafelightError`` of kind `environment` where the process has too many open.
  init(for name: String) throws(SafelightError) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw fileError(.environment, name, cannotBe: "opened", code: errno)
    }
    (read, write) = (ends[0], ends[1])
  }
}
