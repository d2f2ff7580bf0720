internal import CCrypto

/// A SHA-256 hash as defined by FIPS 180-4, computed by libcrypto.
///
/// A value hashes one sequence of bytes: pass them to ``update(_:)`` in any number of parts, then call ``finalize()``.
@safe package struct SHA256: ~Copyable {
  package static let byteCount = 32
  /// An `EVP_MD_CTX`, freed with the value.
  private let context: OpaquePointer

  package init() {
    unsafe context = Self.checked(EVP_MD_CTX_new())
    unsafe Self.check(EVP_DigestInit_ex2(context, Self.algorithm.pointer, nil))
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    unsafe Self.check(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count))
  }

  package mutating func update(_ bytes: some Collection<UInt8>) {
    let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { unsafe update(UnsafeRawBufferPointer($0)) }
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

  /// The algorithm, fetched from a library context of its own.
  ///
  /// `@unchecked Sendable`: a fetched `EVP_MD` never changes, and libcrypto counts references to it atomically.
  @safe private struct Algorithm: @unchecked Sendable { let pointer: OpaquePointer }

  /// The default library context reads `openssl.cnf`, which may disable SHA-256. A new context reads no file and has
  /// all default algorithms.
  private static let algorithm = unsafe Algorithm(
    pointer: checked(EVP_MD_fetch(checked(OSSL_LIB_CTX_new()), "SHA256", nil)))

  /// Once the algorithm is loaded, libcrypto fails only when memory runs out, which stops Swift's own types too.
  private static func check(_ status: Int32) { trap(unless: status == 1, failure) }

  private static let failure = "libcrypto cannot compute SHA-256; free memory, or reinstall Debian's libssl3"

  private static func checked(_ pointer: OpaquePointer?) -> OpaquePointer {
    guard let pointer = unsafe pointer else { trap(failure) }
    return unsafe pointer
  }
}
