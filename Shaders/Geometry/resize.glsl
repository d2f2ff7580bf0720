// resize: a pixel of a scaled picture. Twin: ResizeFunction.
//
// in   Scale  n' and m' of the columns, and of the rows; the last column and row of the source
layout(std140, binding = 2) uniform Scale {
  uvec4 scale;
  uvec4 last;
};

#define FROM scale.xz
#define TO scale.yw
#define LAST last.xy

uvec4 uprightPixel(uvec2 place) {
  return source(ivec2(place));
}

#include "Geometry/image_sampling.glsl"

uvec4 pointKernel(uvec4 pixel) {
  return scaledPixel(uvec2(pixelPosition()));
}
