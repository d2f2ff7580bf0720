// image_rendering: what a rendered picture leaves in the destination. Twin: ImageRenderer.
//
// in   backdrop  texture 2, a copy of the destination from the first painted pixel on; only if BLENDS
// law  by ImageRenderer.Blend; every product stays below 2^32, also in 16 bits
#include "Geometry/image_sampling.glsl"

#if BLENDS
layout(binding = 2) uniform SOURCE_TEXTURE backdrop;

uvec4 over(uvec4 front, uvec4 back) {
  uint share = (back.a * (MAXIMUM - front.a) + MAXIMUM / 2u) / MAXIMUM;
  uint alpha = front.a + share;
  if (alpha == 0u) return back;
  return uvec4((front.a * front.rgb + share * back.rgb + alpha / 2u) / alpha, alpha);
}
#endif

// The pixel at a place counted from the first that is painted.
uvec4 renderedPixel(ivec2 place) {
  uvec4 pixel = scaledPixel(uvec2(place) + offset.xy);
#if BLENDS
  return over(pixel, fetchPixel(backdrop, place));
#else
  return pixel;
#endif
}
