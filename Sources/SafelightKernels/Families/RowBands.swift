internal import Dispatch
internal import SafelightImage
internal import Synchronization

/// The rows of a picture in bands, which the twins of kernels work on at once, as a GPU's threadgroups do.
struct RowBands: Sendable {
  private let rows: Range<Int>
  /// How many there are.
  let count: Int

  /// Cuts `rows` of `width` pixels: bands of at least 32768 pixels, less of which are not worth a thread, and at most
  /// `most`.
  ///
  /// Twice as many as the process may use CPUs, since others use those too: who is done early takes another band.
  init(_ rows: Range<Int>, width: Int, most: Int = .max) {
    self.rows = rows
    count = max(1, min(2 * Self.processors, rows.count * width / 32768, most, rows.count))
  }

  init(_ size: Size) { self.init(0..<size.height, width: size.width) }

  /// Calls `body` with the number and the rows of each band, on as many threads as the process may use CPUs. No two
  /// bands may write the same memory; what they write is there when this returns.
  ///
  /// `nonisolated(unsafe)`: `body` is called by several threads, while this waits for the last of them, and each keeps
  /// to the memory of its own band.
  func concurrently(_ body: (_ number: Int, _ rows: Range<Int>) -> Void) {
    if count == 1 { return body(0, rows) }
    withoutActuallyEscaping(body) { body in
      nonisolated(unsafe) let body = body
      let next = Atomic(0)
      DispatchQueue.concurrentPerform(iterations: min(count, Self.processors)) { _ in
        while true {
          let number = next.add(1, ordering: .relaxed).oldValue
          if number >= count { return }
          unsafe body(number, band(number))
        }
      }
    }
  }

  private func band(_ number: Int) -> Range<Int> {
    let first = rows.lowerBound + rows.count * number / count
    return first..<rows.lowerBound + rows.count * (number + 1) / count
  }

  private static let processors = ProcessorCount.ofThisProcess.value
}
