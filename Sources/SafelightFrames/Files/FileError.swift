import Glibc
package import SafelightImage

/// The error for a system call that failed on `path`.
///
/// `operation` completes "cannot be …": opened, created, written.
package func fileError(_ kind: SafelightError.Kind, _ path: String, cannotBe operation: String, code: Int32)
  -> SafelightError
{
  let reason = unsafe String(cString: strerror(code))
  return SafelightError(kind, path, why: "cannot be \(operation): \(reason)", remedy: remedy(for: code))
}

private func remedy(for code: Int32) -> String {
  switch code {
  case ENOENT, ENOTDIR: "check the name and that its folder exists"
  case EACCES, EPERM: "ask for permission, or choose another folder"
  case EROFS: "choose a folder on a disk that can be written"
  case ENOSPC, EDQUOT, EFBIG: "make room on the disk, then run it again"
  case EISDIR: "name a file instead of a folder"
  case ENAMETOOLONG: "choose a shorter name"
  case EMFILE, ENFILE: "raise the number of open files (ulimit -n)"
  case EPIPE: "let the program that reads it run to the end, and look at what it says"
  case EIO, ESTALE: "check the disk or the network share, then run it again"
  default: "check the path and the disk, then run it again"
  }
}

/// Repeats a system call as long as a signal interrupts it; returns its result, −1 with `errno` set where it failed.
package func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
