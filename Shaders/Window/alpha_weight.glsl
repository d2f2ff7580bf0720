// alpha_weight: colors times alpha in 16 bits, or such colors divided by alpha. Twin: ImageAlphaMode.

// The samples of 16 bits for one.
#if SAMPLE_BITS == 8
const uint UNIT = 257u;
#else
const uint UNIT = 1u;
#endif

#if IS_DIVISION
uvec4 pointKernel(uvec4 pixel) {
  if (pixel.a == 0u) return uvec4(0u);
  // Sums with negative weights can be greater.
  pixel.rgb = min(pixel.rgb, pixel.aaa);
  return uvec4((pixel.rgb * MAXIMUM + pixel.a / 2u) / pixel.a, (pixel.a + UNIT / 2u) / UNIT);
}
#else
uvec4 pointKernel(uvec4 pixel) {
  uint alpha = pixel.a * UNIT;
  return uvec4((pixel.rgb * alpha + MAXIMUM / 2u) / MAXIMUM, alpha);
}
#endif
