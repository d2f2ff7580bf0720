/// Returns the greatest number that divides both, by Euclid's algorithm; the other number if one is 0.
package func greatestCommonDivisor<Number: UnsignedInteger>(_ first: Number, _ second: Number) -> Number {
  var (first, second) = (first, second)
  while second != 0 { (first, second) = (second, first % second) }
  return first
}
