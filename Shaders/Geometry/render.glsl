// render: a pixel of a picture that is turned upright, scaled, and copied or laid over another. Twin: RenderFunction.
//
// in   source     the picture, gray if SOURCE_IS_GRAY, of samples of BITS
// in   backdrop   what it is laid over, only if BLENDS; gray if BACKDROP_IS_GRAY
// in   Placement  bytes 2
layout(std140, binding = 2) uniform Placement {
  ivec4 turn;    // a, b, c, d: upright (x, y) is stored at (ax + by, cx + dy) + the first place; read if TURNS
  ivec4 extent;  // the place of upright (0, 0); the last upright column and row
  uvec4 scale;   // n' and m' of the columns; n' and m' of the rows
  ivec4 corner;  // the column and row of the result at which the scaled picture begins; the factor if FADES
};

#define FROM scale.xz
#define TO scale.yw
#define LAST uvec2(extent.zw)

// Gray stands for red, green and blue alike, and is opaque.
uvec4 uprightPixel(uvec2 place) {
  ivec2 stored = ivec2(place);
#if TURNS
  stored = ivec2(turn.x * stored.x + turn.y * stored.y, turn.z * stored.x + turn.w * stored.y) + extent.xy;
#endif
  uvec4 pixel = source(stored);
#if SOURCE_IS_GRAY
  return uvec4(pixel.rrr, MAXIMUM);
#else
  return pixel;
#endif
}

#include "Geometry/image_sampling.glsl"

#if BLENDS
#include "Compositing/over.glsl"
#endif

uvec4 pointKernel(uvec4 pixel) {
  uvec4 front = scaledPixel(uvec2(pixelPosition() - corner.xy));
#if FADES
  front.a = (front.a * uint(corner.z) + 32768u) >> 16;
#endif
#if BLENDS
  uvec4 back = backdrop(0, 0);
#if BACKDROP_IS_GRAY
  back = uvec4(back.rrr, MAXIMUM);
#endif
  return over(front, back);
#else
  return front;
#endif
}
