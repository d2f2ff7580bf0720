// bilateral: a mean of the pixels in a circle, whose weights fall with their distance and that of their colors. Twin:
// ImageBilateralFilter.
//
// in  tables  bytes 2: the radius, the weights by the square of the distance, from 0 to 81, and those by the difference
//             of colors, from 0 to 765, four to a vector
//
// Samples of 16 bits are summed in two halves of 8, so that no sum needs more than 32 bits.
layout(std140, binding = 2) uniform Tables {
  uvec4 tables[213];
};

uint word(int index) {
  return tables[index >> 2][index & 3];
}

uvec4 pointKernel(uvec4 pixel) {
  int radius = int(word(0));
  uint whole = 0u;
  uvec4 upper = uvec4(0u), lower = uvec4(0u);
  for (int y = -radius; y <= radius; y += 1) {
    for (int x = -radius; x <= radius; x += 1) {
      int square = x * x + y * y;
      if (square > radius * radius) continue;
      uvec4 other = source(x, y);
      uvec4 apart = max(other, pixel) - min(other, pixel);
#if IS_GRAY
      uint difference = 3u * apart.r;
#else
      uint difference = apart.r + apart.g + apart.b;
#endif
#if IS_DEEP
      difference = (difference + 128u) / 257u;
#endif
      uint weight = (word(1 + square) * word(83 + int(difference)) + 32768u) >> 16;
      whole += weight;
      upper += (other >> 8) * weight;
      lower += (other & 255u) * weight;
    }
  }
#if IS_DEEP
  // 256 * upper + lower, divided by the whole.
  upper += lower >> 8;
  uvec4 result = upper / whole * 256u + (upper % whole * 256u + (lower & 255u) + whole / 2u) / whole;
#else
  uvec4 result = (lower + whole / 2u) / whole;
#endif
#if IS_OPAQUE
  result.a = MAXIMUM;
#endif
  return result;
}
