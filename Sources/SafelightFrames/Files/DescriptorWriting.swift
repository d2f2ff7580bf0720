import Glibc
import SafelightImage

/// Writes all of `bytes` to a descriptor, and waits where it is full, also where whoever opened it made it not block; nil where that went well, else `errno`.
///
/// A pipe that nobody reads is `EPIPE` and never a signal, whatever the process does about SIGPIPE.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
  withoutBrokenPipeSignal {
    unsafe bytes.withUnsafeBytes { bytes in
      var written = 0
      // One call writes 2 GiB at most, and less where a signal, a quota or a pipe intervenes (write(2)).
      while written < bytes.count {
        let count = uninterrupted {
          unsafe write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
        }
        if count < 0 {
          guard errno == EAGAIN else { return errno }
          var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          if uninterrupted({ Int(unsafe poll(&room, 1, -1)) }) < 0 { return errno }
          continue
        }
        written += count
      }
      return nil
    }
  }
}

/// Runs `body` with SIGPIPE held back on this thread, and takes away what it raised (POSIX: it goes to the thread that writes).
private func withoutBrokenPipeSignal(_ body: () -> Int32?) -> Int32? {
  var signal = sigset_t()
  var before = sigset_t()
  _ = unsafe sigemptyset(&signal)
  _ = unsafe sigaddset(&signal, SIGPIPE)
  guard unsafe pthread_sigmask(SIG_BLOCK, &signal, &before) == 0 else { return body() }
  let code = body()
  // One that was held back before is not ours to take.
  if code == EPIPE, unsafe sigismember(&before, SIGPIPE) == 0 {
    var atOnce = timespec(tv_sec: 0, tv_nsec: 0)
    _ = uninterrupted { unsafe sigtimedwait(&signal, nil, &atOnce) }
  }
  _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  return code
}
