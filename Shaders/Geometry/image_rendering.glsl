// image_rendering: what a rendered picture leaves in the destination. Twin: ImageRenderer.
//
// in   source    texture 0
// in   Placement bytes 3
// in   backdrop  texture 2, a copy of the destination from the first painted pixel on; only if BLENDS
// law  by ImageRenderer.Blend; every product stays below 2^32, also in 16 bits
layout(binding = 0) uniform SOURCE_TEXTURE source;

layout(std140, binding = 3) uniform Placement {
  ivec4 turn;    // a, b, c, d: upright (x, y) is stored at (ax + by, cx + dy) + the first place
  ivec4 extent;  // the place of upright (0, 0); the last upright column and row
  ivec4 target;  // the first column and row in the destination; columns and rows
  uvec4 scale;   // n' and m' of the columns; n' and m' of the rows
  uvec4 offset;  // the first column and row that is seen of the scaled picture
};

#define FROM scale.xz
#define TO scale.yw
#define LAST uvec2(extent.zw)

// Gray stands for red, green and blue alike, and is opaque.
uvec4 uprightPixel(uvec2 place) {
  ivec2 p = ivec2(place);
  ivec2 stored = ivec2(turn.x * p.x + turn.y * p.y, turn.z * p.x + turn.w * p.y) + extent.xy;
  uvec4 pixel = fetchPixel(source, stored);
#if SOURCE_IS_GRAY
  return uvec4(pixel.rrr, MAXIMUM);
#else
  return pixel;
#endif
}

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
