// median: the middle one of the samples around a pixel, for each channel. Twin: ImageMedian.

#if RADIUS == 1
// Puts the lesser of each two samples first.
void order(inout uvec4 first, inout uvec4 second) {
  uvec4 least = min(first, second);
  second = max(first, second);
  first = least;
}

void order(inout uvec4 a, inout uvec4 b, inout uvec4 c) {
  order(a, b);
  order(b, c);
  order(a, b);
}

// Three rows in order: the middle one of all is that of the greatest of the least, the middle one of the middle ones
// and the least of the greatest (A. W. Paeth, Median Finding on a 3x3 Grid, Graphics Gems, 1990).
uvec4 pointKernel(uvec4 pixel) {
  uvec4 a0 = source(-1, -1), a1 = source(0, -1), a2 = source(1, -1);
  uvec4 b0 = source(-1, 0), b1 = pixel, b2 = source(1, 0);
  uvec4 c0 = source(-1, 1), c1 = source(0, 1), c2 = source(1, 1);
  order(a0, a1, a2);
  order(b0, b1, b2);
  order(c0, c1, c2);
  uvec4 low = max(max(a0, b0), c0);
  uvec4 high = min(min(a2, b2), c2);
  order(a1, b1, c1);
  order(low, b1, high);
  return b1;
}
#else
const uint HALF = uint((2 * RADIUS + 1) * (2 * RADIUS + 1) / 2);

// Bit by bit: the greatest value below which no more than half of the samples lie. Without an array, which drivers keep
// in memory.
uvec4 pointKernel(uvec4 pixel) {
  uvec4 middle = uvec4(0u);
  for (uint bit = (MAXIMUM + 1u) / 2u; bit > 0u; bit >>= 1) {
    uvec4 value = middle | bit;
    uvec4 below = uvec4(0u);
    for (int y = -RADIUS; y <= RADIUS; ++y) {
      for (int x = -RADIUS; x <= RADIUS; ++x) below += uvec4(lessThan(source(x, y), value));
    }
    middle = mix(middle, value, lessThanEqual(below, uvec4(HALF)));
  }
  return middle;
}
#endif
