internal import Glibc

extension [UInt8] {
  /// True where both arrays hold the same bytes; as fast in builds without optimization, where `==` makes a call for
  /// each byte.
  package func hasSameBytes(as other: [UInt8]) -> Bool {
    count == other.count && hasSameBytes(in: indices, as: other, in: other.indices)
  }

  /// The same of parts of one length.
  package func hasSameBytes(in part: Range<Int>, as other: [UInt8], in otherPart: Range<Int>) -> Bool {
    trap(unless: part.count == otherPart.count, "parts of \(part.count) and \(otherPart.count) bytes; give equal ones")
    return unsafe withUnsafeBytes { bytes in
      unsafe other.withUnsafeBytes { otherBytes in
        let (a, b) = unsafe (
          UnsafeRawBufferPointer(rebasing: bytes[part]), UnsafeRawBufferPointer(rebasing: otherBytes[otherPart])
        )
        guard let first = a.baseAddress, let second = b.baseAddress else { return true }
        return unsafe memcmp(first, second, a.count) == 0
      }
    }
  }
}
