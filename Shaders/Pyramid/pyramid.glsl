// pyramid: a picture of half the size, the difference to a doubled one, or the sum with it. Twin: ImagePyramid, which
// has the formulas.
#define HALVE 0
#define SUBTRACT 1
#define ADD 2

#if STEP == HALVE
uvec4 pointKernel(uvec4 pixel) {
  const uint weights[5] = uint[](1u, 4u, 6u, 4u, 1u);
  ivec2 middle = 2 * pixelPosition();
  uvec4 sum = uvec4(0u);
  for (int y = 0; y < 5; y += 1) {
    for (int x = 0; x < 5; x += 1) sum += weights[y] * weights[x] * source(middle + ivec2(x, y) - 2);
  }
  return (sum + 128u) >> 8;
}
#else
#if STEP == SUBTRACT
#define smaller second
#else
#define smaller source
#endif

// The weight in eighths of the pixel `far` away from half of `position`.
uint weight(int position, int far) {
  if ((position & 1) == 1) return far < 0 ? 0u : 4u;
  return far == 0 ? 6u : 1u;
}

uvec4 doubled() {
  ivec2 position = pixelPosition();
  uvec4 sum = uvec4(0u);
  for (int y = -1; y <= 1; y += 1) {
    for (int x = -1; x <= 1; x += 1) {
      sum += weight(position.y, y) * weight(position.x, x) * smaller((position >> 1) + ivec2(x, y));
    }
  }
  return (sum + 32u) >> 6;
}

// A difference of 0.
const uint middle = SAMPLE_BITS == 8 ? 32768u : 2147483648u;

uvec4 pointKernel(uvec4 pixel) {
#if STEP == SUBTRACT
  return pixel + middle - doubled();
#else
  int maximum = int(MAXIMUM);
  ivec4 difference = clamp(ivec4(second(0, 0) - middle), -maximum, maximum);
  return uvec4(clamp(ivec4(doubled()) + difference, 0, maximum));
#endif
}
#endif
