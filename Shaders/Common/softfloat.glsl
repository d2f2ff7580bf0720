// softfloat: IEEE 754 single precision in integers, for rules that must round as a program does; the floats of a driver
// need not. Twin: Swift's Float.
//
// Every result is rounded to the nearest, halves to even. There are no signs, infinities or subnormal numbers.
struct Single {
  uint mantissa;  // 24 bits, or 2^24; 0 for zero
  int exponent;   // the value is mantissa * 2^exponent
};

// (high * 2^32 + low) * 2^exponent.
Single single(uint high, uint low, int exponent) {
  if ((high | low) == 0u) return Single(0u, -64);
  if (high == 0u) {
    high = low;
    low = 0u;
    exponent -= 32;
  }
  int shift = 31 - findMSB(high);
  if (shift > 0) {
    high = (high << shift) | (low >> (32 - shift));
    low <<= shift;
  }
  uint mantissa = high >> 8;
  bool isUp = (high & 0x80u) != 0u && ((high & 0x7Fu) | low | (mantissa & 1u)) != 0u;
  return Single(isUp ? mantissa + 1u : mantissa, exponent - shift + 40);
}

Single product(Single a, Single b) {
  uint high;
  uint low;
  umulExtended(a.mantissa, b.mantissa, high, low);
  return single(high, low, a.exponent + b.exponent);
}

Single addition(Single a, Single b) {
  if (a.mantissa == 0u) return b;
  if (b.mantissa == 0u) return a;
  if (a.exponent < b.exponent) {
    Single other = a;
    a = b;
    b = other;
  }
  // a has 24 bits or more: what lies 26 bits further down is less than half of its last.
  int distance = a.exponent - b.exponent;
  if (distance > 25) return a;
  uint high = distance == 0 ? 0u : a.mantissa >> (32 - distance);
  uint carry;
  uint low = uaddCarry(a.mantissa << distance, b.mantissa, carry);
  return single(high + carry, low, b.exponent);
}

// The float of these bits, which is not negative.
Single singleOfBits(uint bits) {
  return bits == 0u ? Single(0u, -64) : Single((bits & 0x7FFFFFu) | 0x800000u, int(bits >> 23) - 150);
}

// numerator / divisor for numerator < 2^16 and divisor > 0: rounded to double precision, 53 bits, and only then to
// single, as C does when it divides doubles and keeps a float. Where a float divides, the double changes nothing.
Single quotient(uint numerator, uint divisor) {
  if (numerator == 0u) return Single(0u, -64);
  uint high = 0u;
  uint low = numerator / divisor;
  uint rest = numerator % divisor;
  int exponent = 0;
  while (high < 0x200000u) {  // until there are 54 bits
    high = (high << 1) | (low >> 31);
    low <<= 1;
    exponent -= 1;
    if (rest >= divisor - rest) {
      rest -= divisor - rest;
      low |= 1u;
    } else {
      rest += rest;
    }
  }
  if ((low & 1u) != 0u) {
    if (rest != 0u || (low & 2u) != 0u) {
      low += 1u;
      if (low == 0u) high += 1u;
    } else {
      low -= 1u;
    }
  }
  return single(high, low, exponent);
}

// The whole number below a value. Values from 2^24 on, which no counts of a picture make, give 2^32 - 1.
uint truncated(Single value) {
  int shift = -value.exponent;
  if (shift < 0) return 0xFFFFFFFFu;
  return shift > 24 ? 0u : value.mantissa >> shift;
}

// The nearest whole number to a value, halves to even; from 2^24 on as truncated.
uint nearest(Single value) {
  int shift = -value.exponent;
  if (shift < 0) return 0xFFFFFFFFu;
  if (shift == 0) return value.mantissa;
  if (shift > 25) return 0u;
  uint whole = value.mantissa >> shift;
  uint rest = value.mantissa - (whole << shift);
  uint middle = 1u << (shift - 1);
  return rest > middle || (rest == middle && (whole & 1u) != 0u) ? whole + 1u : whole;
}
