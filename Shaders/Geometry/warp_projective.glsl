// warp_projective: positions that are quotients of two planes by a third, of 64 bits. Twin: WarpMap.
//
// law  a position is floor(256 * n / d + 1/2), and nowhere unless d > 0
bool isLess(uvec2 one, uvec2 other) {
  return one.y < other.y || one.y == other.y && one.x < other.x;
}

float estimate(uvec2 number) {
  return float(number.y) * 4294967296.0 + float(number.x);
}

// A quotient below 2^23, rounded down; `number` becomes what is left. The estimate need not be exact.
int divide(inout uvec2 number, uvec2 divisor) {
  int quotient = int(estimate(number) / estimate(divisor));
  number = difference(number, multiple(divisor, uint(quotient)));
  while (int(number.y) < 0) {
    number = sum(number, divisor);
    quotient -= 1;
  }
  while (!isLess(number, divisor)) {
    number = difference(number, divisor);
    quotient += 1;
  }
  return quotient;
}

int quotient(uvec2 number, uvec2 divisor) {
  uvec2 halfDivisor = uvec2(divisor.x >> 1 | divisor.y << 31, divisor.y >> 1);
#if TAPS == 1
  number = sum(number, halfDivisor);
#endif
  // ~n is -1 - n, and floor(n / d) is -1 - floor((-1 - n) / d).
  bool isNegative = int(number.y) < 0;
  if (isNegative) number = ~number;
  // Farther than 2^22 pixels is that far.
  if (!isLess(uvec2(number.x >> 22 | number.y << 10, number.y >> 22), divisor)) {
    const int far = TAPS == 1 ? 1 << 22 : 1 << 30;
    return isNegative ? -far : far;
  }
  int whole = divide(number, divisor);
  if (isNegative) {
    whole = ~whole;
    number = difference(difference(divisor, number), uvec2(1u, 0u));
  }
#if TAPS == 1
  return whole;
#else
  number = sum(uvec2(number.x << 8, number.y << 8 | number.x >> 24), halfDivisor);
  return (whole << 8) + divide(number, divisor);
#endif
}

ivec2 positionOf(ivec2 at) {
  uvec2 divisor = plane(2, at);
  if (int(divisor.y) < 0 || divisor == uvec2(0u)) return NOWHERE;
  return ivec2(quotient(plane(0, at), divisor), quotient(plane(1, at), divisor));
}
