/// Encoders that bind textures, buffers and bytes for a function.
protocol BindingEncoder: AnyObject {
  var bindings: Bindings { get set }
}

extension BindingEncoder {
  func bind(_ bytes: some BitwiseCopyable, index: Int) {
    bindings.bytes[index] = unsafe withUnsafeBytes(of: bytes) { unsafe Array($0) }
  }
}
