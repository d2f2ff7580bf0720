// image_rendering: what a rendered picture leaves in the destination. Twin: ImageRenderer.
//
// in   backdrop  texture 2, the destination as it was, from the first pixel that is painted on; only where BLENDS
// law  straight alpha, S and B those of source and backdrop, maximum M (W3C Compositing and Blending Level 1, 5.1, with
//      the backdrop's share rounded to a whole sample):
//      k = floor((B (M - S) + M / 2) / M),  A = S + k,  C = floor((S Cs + k Cb + floor(A / 2)) / A)
//      where A = 0 the backdrop stays. Every product stays below 2^32, also in 16 bits
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
