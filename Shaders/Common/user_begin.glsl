// user_begin: what the body of a user's kernel can call, changed so that it reads nothing outside a texture. Its
// pointKernel is called usersKernel from here on, see user_end.
//
// Pictures of one channel have their gray in red, green and blue, and are opaque.
uvec4 fetchPixelInside(SOURCE_TEXTURE source, ivec2 position) {
  uvec4 pixel = fetchPixel(source, clamp(position, ivec2(0), textureSize(source, 0) - 1));
#if HAS_COLORS
  return pixel;
#else
  return uvec4(pixel.rrr, MAXIMUM);
#endif
}

#define fetchPixel fetchPixelInside
#define texelFetch(t, p, l) texelFetch(t, clamp(p, ivec2(0), textureSize(t, l) - 1), l)
#define pointKernel usersKernel
