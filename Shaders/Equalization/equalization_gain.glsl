// equalization_gain: brings the luma of each pixel to its level by the rule FFMPEG. Twin: HistogramLookUp;
// the page Equalization has the formula.
//
// in   table  as equalization_transform leaves it: red is a level, 16 bits of two's complement
// law  |L| < 2^15, so m * L < 2^23; the luma of gray pictures is their sample, and so is m. Alpha stays.
#if COUNTS_LUMA
#include "Histogram/histogram_samples.glsl"
#endif

uvec3 atLevel(uvec3 color, uint luma) {
  if (luma == 0u) {
    // The table of an empty histogram leaves a picture as it is.
    return table(ivec2(0, 1)).r == 0u ? uvec3(0u) : color;
  }
  uint level = table(ivec2(int(luma), 0)).r;
  bool isNegative = level >= 0x8000u;
  if (isNegative) level |= 0xFFFF0000u;
  uint brightest = max(max(color.r, color.g), color.b);
  if (!isNegative && brightest * level / luma > 255u) return color * 255u / brightest;
  return color * level / luma & 255u;
}

uvec4 pointKernel(uvec4 pixel) {
#if COUNTS_LUMA
  return uvec4(atLevel(pixel.rgb, countedLuma(pixel)), pixel.a);
#else
  pixel.r = atLevel(pixel.rrr, pixel.r).r;
  return pixel;
#endif
}
