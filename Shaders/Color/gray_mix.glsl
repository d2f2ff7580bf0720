// gray_mix: mixes colors with the gray of their luma; alpha stays. Twin: GrayMix.
//
//   out = clamp((gray * 4096 + (v - gray) * gain + 2048) >> 12, 0, MAXIMUM)
//
// gain is in 1/4096 and at most 4 * 4096: |v - gray| * gain < 2^30, so nothing overflows. The shift of a negative int
// extends its sign (GLSL ES 3.10 section 5.9): it floors.

// weights in 1/65536 with sum 65536: below 2^32 for samples up to 65535.
uint weightedLuma(uvec3 weights, uvec4 pixel) {
  return (weights.r * pixel.r + weights.g * pixel.g + weights.b * pixel.b + 32768u) >> 16;
}

uint mixWithGray(uint value, uint gray, int gain) {
  int mixed = (int(gray) * 4096 + (int(value) - int(gray)) * gain + 2048) >> 12;
  return uint(clamp(mixed, 0, int(MAXIMUM)));
}

uvec4 mixWithGray(uvec4 pixel, uint gray, int gain) {
  return uvec4(
    mixWithGray(pixel.r, gray, gain), mixWithGray(pixel.g, gray, gain), mixWithGray(pixel.b, gray, gain), pixel.a);
}
