// point: the compute form of a kernel that makes each pixel from the pixel at its place.
//
// in   source       texture 0
// out  destination  texture 1, stored through an integer view
// grid covering the destination
//
// What is not for the body begins with safelight, locals too: a macro of the body would replace them.
#include "Common/grid.glsl"

layout(binding = 1, SAFELIGHT_STORAGE_FORMAT) writeonly uniform uimage2D safelight_destination;

ivec2 pixelPosition() {
  return ivec2(gl_GlobalInvocationID.xy);
}

void main() {
  if (safelight_isOutsideGrid()) return;
  ivec2 safelight_position = pixelPosition();
  imageStore(safelight_destination, safelight_position, pointKernel(fetchPixel(source, safelight_position)));
}
