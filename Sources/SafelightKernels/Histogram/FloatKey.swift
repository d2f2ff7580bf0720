/// Floats as unsigned integers of the same order; the twin of `keys.glsl`.
///
/// Integers compare alike on every device, whatever its floats do. Subnormal numbers have the key of 0, as −0 has, since a
/// driver may flush them; what is not a number has the key 0, below all others.
package enum FloatKey {
  package static let zero: UInt32 = 0x8000_0000
  /// The least key of a number: that of −∞.
  static let least = key(-.infinity)

  package static func key(_ value: Float) -> UInt32 {
    if value.isNaN { return 0 }
    let bits = value.bitPattern
    if bits & 0x7F80_0000 == 0 { return zero }
    return bits & zero == 0 ? bits | zero : ~bits
  }

  /// The least key of all floats that are not below `value`.
  package static func key(notBelow value: Float) -> UInt32 {
    value.isSubnormal && value > 0 ? key(.leastNormalMagnitude) : key(value)
  }

  /// The number of a key above 0.
  package static func value(_ key: UInt32) -> Float {
    Float(bitPattern: key & zero == 0 ? ~key : key & ~zero)
  }
}
