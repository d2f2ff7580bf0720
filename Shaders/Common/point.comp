// point: the compute form of a kernel that makes each pixel from the pixel at its place.
//
// in   source       texture 0
// out  destination  texture 1, stored through an integer view
// grid covering the destination
#include "Common/compute.glsl"

layout(binding = 1, STORAGE_FORMAT) writeonly uniform uimage2D destination;

ivec2 pixelPosition() {
  return ivec2(gl_GlobalInvocationID.xy);
}

void main() {
  if (isOutsideGrid()) return;
  ivec2 position = pixelPosition();
  imageStore(destination, position, pointKernel(fetchPixel(source, position)));
}
