/// A buffer in the CPU executor, from the offset on at which it is bound.
@safe public final class BufferMemory {
  let host: HostMemory
  private let range: Range<Int>

  init(_ host: HostMemory, range: Range<Int>) {
    self.host = host
    self.range = range
  }

  /// The same bytes from `offset` on.
  func from(_ offset: Int) -> BufferMemory {
    offset == 0 ? self : BufferMemory(host, range: range.lowerBound + offset..<range.upperBound)
  }

  /// The bytes, valid as long as the buffer is.
  var bytes: UnsafeMutableRawBufferPointer { unsafe UnsafeMutableRawBufferPointer(rebasing: host.bytes[range]) }

  /// Reads and writes the buffer as 32-bit words.
  public func withWords<Result>(_ body: (UnsafeMutableBufferPointer<UInt32>) throws -> Result) rethrows -> Result {
    unsafe try body(bytes.bindMemory(to: UInt32.self))
  }
}
