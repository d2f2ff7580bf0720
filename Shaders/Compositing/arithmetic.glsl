// arithmetic: what the samples of two pictures make together; alpha is the first's. Twin: ArithmeticFunction; the
// formulas are on the cards of ImageAdd and its like. OPERATION is the number in ArithmeticOperation.
//
// in  scale, withScale  the factors of sums in 65536ths; scale alone is that of products and quotients
//     bias              what is added at the end, in samples
#define ADD 0
#define SUBTRACT 1
#define MULTIPLY 2
#define DIVIDE 3
#define DIFFERENCE 4
#define LEAST 5
#define GREATEST 6
#define AVERAGE 7

#if IS_SCALED
layout(std140, binding = 2) uniform Arithmetic {
  int scale;
  int withScale;
  int bias;
};

// Numbers of 64 bits: the lower word, then the upper.
uvec2 sum(uvec2 one, uvec2 other) {
  uint carry;
  uint lower = uaddCarry(one.x, other.x, carry);
  return uvec2(lower, one.y + other.y + carry);
}

uvec2 product(int factor, uint other) {
  uint upper, lower;
  umulExtended(uint(abs(factor)), other, upper, lower);
  return factor < 0 ? sum(uvec2(~lower, ~upper), uvec2(1u, 0u)) : uvec2(lower, upper);
}

// scale * dividend / divisor + bias, rounded once; 0 + bias if the divisor is 0.
uint quotient(uint dividend, uint divisor) {
  if (divisor == 0u) return uint(clamp(bias, 0, int(MAXIMUM)));
  uvec2 wide = sum(product(scale, dividend), uvec2(divisor << 15, 0u));
  wide = sum(uvec2(wide.y << 16 | wide.x >> 16, uint(int(wide.y) >> 16)), product(bias, divisor));
  if (int(wide.y) < 0) return 0u;
  return wide.y > 0u ? MAXIMUM : min(wide.x / divisor, MAXIMUM);
}
#else
uint quotient(uint dividend, uint divisor) {
  return divisor == 0u ? 0u : min((dividend + divisor / 2u) / divisor, MAXIMUM);
}
#endif

uvec4 pointKernel(uvec4 one) {
  uvec4 other = second(0, 0);
#if OPERATION == ADD && IS_SCALED
  // Bytes apart, so that all sums have 32 bits.
  ivec4 upper = scale * ivec4(one >> 8) + withScale * ivec4(other >> 8);
  ivec4 lower = scale * ivec4(one & 255u) + withScale * ivec4(other & 255u) + 32768;
  uvec4 made = uvec4(clamp((upper + (lower >> 8) >> 8) + bias, 0, int(MAXIMUM)));
#elif OPERATION == ADD
  uvec4 made = min(one + other, MAXIMUM);
#elif OPERATION == SUBTRACT
  uvec4 made = one - min(one, other);
#elif OPERATION == MULTIPLY
  uvec4 made = one * other;
  made = uvec4(quotient(made.r, MAXIMUM), quotient(made.g, MAXIMUM), quotient(made.b, MAXIMUM), 0u);
#elif OPERATION == DIVIDE
  uvec4 made = one * MAXIMUM;
  made = uvec4(quotient(made.r, other.r), quotient(made.g, other.g), quotient(made.b, other.b), 0u);
#elif OPERATION == DIFFERENCE
  uvec4 made = max(one, other) - min(one, other);
#elif OPERATION == LEAST
  uvec4 made = min(one, other);
#elif OPERATION == GREATEST
  uvec4 made = max(one, other);
#else
  uvec4 made = (one + other + 1u) / 2u;
#endif
  return uvec4(made.rgb, one.a);
}
