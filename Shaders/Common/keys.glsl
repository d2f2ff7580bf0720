// keys: floats as unsigned integers of the same order, which every device compares alike. Twin: FloatKey.
//
// Subnormal numbers have the key of 0, as -0 has, since a driver may flush them; what is not a number has key 0, below
// that of every number.
#define KEY_OF_ZERO 0x80000000u

uint keyOf(float value) {
  uint bits = floatBitsToUint(value);
  uint magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return 0u;
  if (magnitude < 0x00800000u) return KEY_OF_ZERO;
  return bits == magnitude ? bits | KEY_OF_ZERO : ~bits;
}

uint bitsOf(uint key) {
  return key < KEY_OF_ZERO ? ~key : key & 0x7FFFFFFFu;
}
