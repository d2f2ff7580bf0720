// sobel: the length of luma's gradient, and luma, of which it is made.
#if IS_LUMA
uvec4 pointKernel(uvec4 pixel) {
  return uvec4(luma601(pixel));
}
#else
// The floor of the root of x * x + y * y, at most MAXIMUM.
uint magnitude(ivec2 gradient) {
  uvec2 size = uvec2(abs(gradient));
  if (max(size.x, size.y) >= MAXIMUM) return MAXIMUM;
  uint square = size.x * size.x;
  uint sum = square + size.y * size.y;
  // Beyond 32 bits.
  if (sum < square) return MAXIMUM;
  // Bit by bit from the top, since a driver may round a root.
  uint root = 0u;
  for (uint bit = 32768u; bit > 0u; bit >>= 1) {
    uint larger = root | bit;
    if (larger * larger <= sum) root = larger;
  }
  return min(root, MAXIMUM);
}

int at(int x, int y) {
  return int(luma(x, y).r);
}

uvec4 pointKernel(uvec4 pixel) {
  int across = at(1, -1) - at(-1, -1) + 2 * (at(1, 0) - at(-1, 0)) + at(1, 1) - at(-1, 1);
  int down = at(-1, 1) - at(-1, -1) + 2 * (at(0, 1) - at(0, -1)) + at(1, 1) - at(1, -1);
  return uvec4(uvec3(magnitude(ivec2(across, down))), pixel.a);
}
#endif
