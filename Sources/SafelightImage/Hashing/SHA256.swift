internal import CCrypto

/// SHA-256 as of FIPS 180-4, computed by libcrypto.
///
/// A hash is of one sequence of bytes: feed them with ``update(_:)``, in as many parts as they come in, and end with
/// ``finalize()``.
@safe package struct SHA256: ~Copyable {
  /// Bytes of a digest.
  package static let byteCount = 32

  /// An `EVP_MD_CTX`, freed with the value.
  private let context: OpaquePointer

  /// A hash of no bytes yet.
  package init() {
    unsafe context = Self.checked(EVP_MD_CTX_new())
    unsafe Self.check(EVP_DigestInit_ex2(context, Self.algorithm.pointer, nil))
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  /// Appends bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    unsafe Self.check(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count))
  }

  /// Appends bytes.
  package mutating func update(_ bytes: some Collection<UInt8>) {
    let isContiguous: Void? = bytes.withContiguousStorageIfAvailable {
      unsafe update(UnsafeRawBufferPointer($0))
    }
    if isContiguous == nil { update(Array(bytes)) }
  }

  /// Returns the digest of all bytes, ``byteCount`` bytes long.
  package consuming func finalize() -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: Self.byteCount) { digest, count in
      unsafe Self.check(EVP_DigestFinal_ex(context, digest.baseAddress, nil))
      count = Self.byteCount
    }
  }

  /// Returns the digest of `bytes`.
  package static func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finalize()
  }

  /// The algorithm, from a library context of our own.
  ///
  /// `@unchecked Sendable`: libcrypto counts the references to a fetched `EVP_MD`, which is never changed, from any
  /// thread.
  @safe private struct Algorithm: @unchecked Sendable { let pointer: OpaquePointer }

  /// The default context reads `openssl.cnf`, which may switch SHA-256 off; a new one reads no file and has all default
  /// algorithms.
  private static let algorithm = unsafe Algorithm(
    pointer: checked(EVP_MD_fetch(checked(OSSL_LIB_CTX_new()), "SHA256", nil)))

  /// With an algorithm at hand, libcrypto fails only where there is no memory, and then Swift's own types stop the
  /// program too.
  private static func check(_ status: Int32) {
    trap(unless: status == 1, failure)
  }

  private static let failure = "libcrypto computes no SHA-256; free memory, or install Debian's libssl3 again"

  private static func checked(_ pointer: OpaquePointer?) -> OpaquePointer {
    guard let pointer = unsafe pointer else { trap(failure) }
    return unsafe pointer
  }
}

extension Sequence<UInt8> {
  /// Two digits a byte.
  package var hexadecimal: String {
    map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
