// user_begin: what the body of a user's kernel can call, which reads nothing outside a picture. Its pointKernel is
// called safelight_pointKernel from here on, see user_end.
//
// in  safelight_source  the picture, RADIUS columns and rows around the pixel that is made; beyond its edges lie the
//                       pixels at the edges
//
// Pictures of one channel have their gray in red, green and blue, and are opaque.
uvec4 safelight_widened(uvec4 pixel) {
#if SAFELIGHT_HAS_COLORS
  return pixel;
#else
  return uvec4(pixel.rrr, MAXIMUM);
#endif
}

uvec4 safelight_fetchPixel(SOURCE_TEXTURE source, ivec2 position) {
  return safelight_widened(fetchPixel(source, clamp(position, ivec2(0), textureSize(source, 0) - 1)));
}

uvec4 neighbor(int x, int y) {
  return safelight_widened(safelight_source(x, y));
}

#define fetchPixel safelight_fetchPixel
#define pointKernel safelight_pointKernel
