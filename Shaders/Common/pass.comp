// pass: the compute form of a pass that makes each pixel of a texture from pixels of others.
//
// in   inputs       see Common/inputs.glsl
// out  destination  texture 1, stored through an integer view
// grid covering the destination
//
// Names that bodies must not use begin with safelight.
#include "Common/grid.glsl"

layout(binding = 1, SAFELIGHT_OUTPUT_FORMAT) writeonly uniform uimage2D safelight_destination;

ivec2 pixelPosition() {
  return ivec2(gl_GlobalInvocationID.xy) + SAFELIGHT_FIRST(0);
}

void main() {
  if (safelight_isOutsideGrid()) return;
  imageStore(safelight_destination, ivec2(gl_GlobalInvocationID.xy), pointKernel(SAFELIGHT_PIXEL));
}
