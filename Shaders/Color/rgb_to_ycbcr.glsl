// rgb_to_ycbcr: a sample of a plane of luma or chroma. Twin: RGBToYCbCrFunction; the page Y'CbCr has the formula.
//
// in   source      red, green and blue; if SOURCE_IS_GRAY its only sample is all three
// in   Parameters  bytes 2
//
// Weights have the sum 16, so sums are below 2^20; the |c| of a row have a sum of at most 1. As in ycbcr_to_rgb a sum
// is split, v = 1024 * h + l, and |H| and |L| stay below 2^30.
layout(std140, binding = 2) uniform Parameters {
  ivec4 firstRow;   // of red, green and blue; zero of the plane's first channel
  ivec4 secondRow;
  ivec4 spacing;    // pixels from sample to sample, x and y; largest sample; bits that samples are moved to the left
  ivec4 columns;    // weights in quarters, of the columns before, at and after the sample's first
  ivec4 rows;
};

uint mixedSample(ivec4 row, ivec3 high, ivec3 low) {
  int h = row.r * high.r + row.g * high.g + row.b * high.b;
  int l = row.r * low.r + row.g * low.g + row.b * low.b;
  return uint(clamp(((h + ((l + (1 << 22)) >> 10)) >> 13) + row.a, 0, spacing.z)) << spacing.w;
}

uvec4 pointKernel(uvec4 pixel) {
  ivec2 first = spacing.xy * pixelPosition();
  ivec3 sum = ivec3(0);
  for (int y = 0; y < 3; y++) {
    for (int x = 0; x < 3; x++) {
      int weight = columns[x] * rows[y];
      if (weight == 0) continue;
      uvec4 color = source(first + ivec2(x - 1, y - 1));
#if SOURCE_IS_GRAY
      sum += weight * ivec3(color.rrr);
#else
      sum += weight * ivec3(color.rgb);
#endif
    }
  }
  ivec3 high = sum >> 10;
  ivec3 low = sum & 1023;
  return uvec4(mixedSample(firstRow, high, low), mixedSample(secondRow, high, low), 0u, 0u);
}
