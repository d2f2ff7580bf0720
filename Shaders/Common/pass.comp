// pass: the compute form of a pass that makes each pixel of a texture from pixels of others.
//
// in   inputs       see Common/inputs.glsl
// out  destination  texture 1, stored through an integer view; floats of keys, see Common/keys.glsl
// grid covering the pixels that are made
//
// Names that bodies must not use begin with safelight.
#include "Common/grid.glsl"

#ifdef SAFELIGHT_OUTPUT_IS_FLOAT
layout(binding = 1, SAFELIGHT_OUTPUT_FORMAT) writeonly uniform image2D safelight_destination;

vec4 safelight_stored(uvec4 safelight_keys) {
  return uintBitsToFloat(
    uvec4(bitsOf(safelight_keys.r), bitsOf(safelight_keys.g), bitsOf(safelight_keys.b), bitsOf(safelight_keys.a)));
}
#else
layout(binding = 1, SAFELIGHT_OUTPUT_FORMAT) writeonly uniform uimage2D safelight_destination;

#define safelight_stored(safelight_pixel) safelight_pixel
#endif

ivec2 pixelPosition() {
  return ivec2(gl_GlobalInvocationID.xy) + SAFELIGHT_AREA(ivec2(0)).xy;
}

void main() {
  if (safelight_isOutsideGrid()) return;
  uvec4 safelight_made = pointKernel(SAFELIGHT_PIXEL);
#ifdef SAFELIGHT_LARGEST
  safelight_made = min(safelight_made, SAFELIGHT_LARGEST);
#endif
  imageStore(safelight_destination, pixelPosition() - SAFELIGHT_FIRST(0), safelight_stored(safelight_made));
}
