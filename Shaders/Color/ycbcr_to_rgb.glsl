// ycbcr_to_rgb: a pixel of planes of luma and chroma. Twin: YCbCrToRGBFunction; the page Y'CbCr has the formula.
//
// in   luma
// in   chroma      blue and red differences, or blue alone and red in redChroma if IS_PLANAR
// in   opacity     a picture whose alpha is taken, only if HAS_ALPHA; else alpha is MAXIMUM
// in   Parameters  bytes 2
//
// Words above the largest sample, whose upper bits nobody cleared, count as the largest: with it samples stay below
// 2^16 after the shift, so |y| <= 2^20 and |b|, |r| <= 2^19. Each is split, v = 1024 * h + l; then
//      floor((1024 * H + L + 2^22) / 2^23) = (H + ((L + 2^22) >> 10)) >> 13
// exactly, since shifts floor. c.y < 1.17 and the c of chroma have a sum below 2.34: |H| < (1.17 * 1024 + 2.34 * 512) *
// 2^19 and |L| < 3.51 * 1023 * 2^19, both with their addends below 2^31.
layout(std140, binding = 2) uniform Parameters {
  ivec4 redRow;    // of y, b and r
  ivec4 greenRow;
  ivec4 blueRow;
  ivec4 levels;    // zero of luma; middle of chroma; bits that samples have to move to the left; largest sample
  ivec4 siting;    // quarters of a chroma sample from pixel to pixel, x and y; from the first sample to the first pixel
};

ivec2 chromaSample(ivec2 place) {
#if IS_PLANAR
  return min(ivec2(chroma(place).r, redChroma(place).r), levels.w) << levels.z;
#else
  return min(ivec2(chroma(place).rg), levels.w) << levels.z;
#endif
}

// Sixteenths: quarters of a sample across times quarters down.
ivec2 chromaAt(ivec2 place) {
  ivec2 quarters = siting.xy * place - siting.zw;
  ivec2 first = quarters >> 2;
  ivec2 part = quarters & 3;
  if (part == ivec2(0)) return 16 * chromaSample(first);
  ivec2 above = (4 - part.x) * chromaSample(first) + part.x * chromaSample(first + ivec2(1, 0));
  ivec2 below = (4 - part.x) * chromaSample(first + ivec2(0, 1)) + part.x * chromaSample(first + ivec2(1, 1));
  return (4 - part.y) * above + part.y * below;
}

uint mixedSample(ivec4 row, ivec3 high, ivec3 low) {
  int h = row.x * high.x + row.y * high.y + row.z * high.z;
  int l = row.x * low.x + row.y * low.y + row.z * low.z;
  return uint(clamp((h + ((l + (1 << 22)) >> 10)) >> 13, 0, int(MAXIMUM)));
}

uvec4 pointKernel(uvec4 pixel) {
  int y = (min(int(pixel.r), levels.w) << levels.z) - levels.x;
  ivec3 sixteenths = ivec3(16 * y, chromaAt(pixelPosition()) - 16 * levels.y);
  ivec3 high = sixteenths >> 10;
  ivec3 low = sixteenths & 1023;
#if HAS_ALPHA
  uint alpha = opacity(0, 0).a;
#else
  uint alpha = MAXIMUM;
#endif
  return uvec4(
    mixedSample(redRow, high, low), mixedSample(greenRow, high, low), mixedSample(blueRow, high, low), alpha);
}
