// resample_alpha: colors times alpha before a picture is scaled, or divided by it after. Twin: ResampleAlpha.

#if IS_DEEP
const uint GREATEST = 65535u;
#else
const uint GREATEST = 255u;
#endif

uvec4 pointKernel(uvec4 pixel) {
#if IS_DIVISION
  if (pixel.a == 0u) return pixel;
  return uvec4(min(pixel.rgb * GREATEST / pixel.a, uvec3(GREATEST)), pixel.a);
#else
  return uvec4((pixel.rgb * pixel.a + GREATEST / 2u) / GREATEST, pixel.a);
#endif
}
