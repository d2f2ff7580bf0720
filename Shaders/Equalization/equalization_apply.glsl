// equalization_apply: looks every sample up in the table of the transform. Twin: ImageHistogramEqualization.
//
// in   table  as equalization_transform leaves it
// law  out = table(bin(v)), or by luma as ImageHistogramEqualization says; planes that the table lacks (alpha) stay
#include "Histogram/bins.glsl"

uint equalized(uint value, uint plane) {
  uint bin = binOf(value, plane);
#if ENTRIES == 256
  uint entry = table(ivec2(int(bin), 0))[plane];
#else
  uint entry = table(ivec2(int(bin & 255u), int(bin >> 8)))[plane];
#endif
#if BINS == 0
  return entry;
#else
  // The table of an empty plane names bins, not values: leave the sample as it is.
  return table(ivec2(0, ENTRIES / 256))[plane] == 0u ? entry : value;
#endif
}

uvec4 pointKernel(uvec4 pixel) {
#if COUNTS_LUMA
  int gray = int(luma601(pixel));
  int shift = int(equalized(uint(gray), 0u)) - gray;
  return uvec4(clamp(ivec3(pixel.rgb) + shift, ivec3(0), ivec3(MAXIMUM)), pixel.a);
#else
  pixel.r = equalized(pixel.r, 0u);
#if PLANES >= 2
  pixel.g = equalized(pixel.g, 1u);
#endif
#if PLANES >= 3
  pixel.b = equalized(pixel.b, 2u);
#endif
#if PLANES == 4
  pixel.a = equalized(pixel.a, 3u);
#endif
  return pixel;
#endif
}
