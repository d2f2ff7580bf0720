// image_rendering: the compute form.
//
// out  destination  texture 1, stored through an integer view
// grid covering the pixels that are painted
#include "Common/compute.glsl"

layout(binding = 1, SAFELIGHT_STORAGE_FORMAT) writeonly uniform uimage2D destination;

void main() {
  if (isOutsideGrid()) return;
  ivec2 place = ivec2(gl_GlobalInvocationID.xy);
  imageStore(destination, place + target.xy, renderedPixel(place));
}
