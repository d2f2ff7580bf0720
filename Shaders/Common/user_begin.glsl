// user_begin: what the body of a user's kernel can call, changed so that it reads nothing outside a texture. Its
// pointKernel is called safelight_pointKernel from here on, see user_end.
//
// Pictures of one channel have their gray in red, green and blue, and are opaque.
uvec4 safelight_fetchPixel(SOURCE_TEXTURE source, ivec2 position) {
  uvec4 pixel = fetchPixel(source, clamp(position, ivec2(0), textureSize(source, 0) - 1));
#if SAFELIGHT_HAS_COLORS
  return pixel;
#else
  return uvec4(pixel.rrr, MAXIMUM);
#endif
}

#define fetchPixel safelight_fetchPixel
#define pointKernel safelight_pointKernel
