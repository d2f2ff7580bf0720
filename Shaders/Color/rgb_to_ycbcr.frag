// rgb_to_ycbcr: one plane of luma or chroma, drawn on the full-screen strip. Twin: ImageRGBToYCbCr; the page
// Y'CbCr has the formula.
//
// in   source  texture 0; if SOURCE_IS_GRAY its only sample is red, green and blue
//
// Weights have the sum 16, so sums are below 2^20; the |c| of a row have a sum of at most 1. As in ycbcr_to_rgb a sum
// is split, v = 1024 * h + l, and |H| and |L| stay below 2^30.
layout(binding = 0) uniform SOURCE_TEXTURE source;

layout(std140, binding = 1) uniform Parameters {
  ivec4 firstRow;   // of red, green and blue; zero of the plane's first channel
  ivec4 secondRow;
  ivec4 spacing;    // pixels from sample to sample, x and y; largest sample; bits that samples are moved to the left
  ivec4 columns;    // weights in quarters, of the columns before, at and after the sample's first
  ivec4 rows;
};

#if TARGET_IS_NORMALIZED
layout(location = 0) out vec4 color;
#else
layout(location = 0) out uvec4 color;
#endif

uint mixedSample(ivec4 row, ivec3 high, ivec3 low) {
  int h = row.r * high.r + row.g * high.g + row.b * high.b;
  int l = row.r * low.r + row.g * low.g + row.b * low.b;
  return uint(clamp(((h + ((l + (1 << 22)) >> 10)) >> 13) + row.a, 0, spacing.z)) << spacing.w;
}

void main() {
  ivec2 first = spacing.xy * ivec2(gl_FragCoord.xy);
  ivec2 last = textureSize(source, 0) - 1;
  ivec3 sum = ivec3(0);
  for (int y = 0; y < 3; y++) {
    for (int x = 0; x < 3; x++) {
      int weight = columns[x] * rows[y];
      if (weight == 0) continue;
      ivec2 place = clamp(first + ivec2(x - 1, y - 1), ivec2(0), last);
#if SOURCE_IS_GRAY
      sum += weight * ivec3(fetchPixel(source, place).rrr);
#else
      sum += weight * ivec3(fetchPixel(source, place).rgb);
#endif
    }
  }
  ivec3 high = sum >> 10;
  ivec3 low = sum & 1023;
  uvec4 result = uvec4(mixedSample(firstRow, high, low), mixedSample(secondRow, high, low), 0u, 0u);
#if TARGET_IS_NORMALIZED
  color = (vec4(result) + 0.25) / float(MAXIMUM);
#else
  color = result;
#endif
}
