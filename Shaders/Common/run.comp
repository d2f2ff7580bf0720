// run: a pass that makes the pixels of a texture one after the other, along rows or columns.
//
// in   inputs       see Common/inputs.glsl
// out  destination  texture 1, stored through an integer view
// grid a thread for each run of SAFELIGHT_RUN_LENGTH pixels, along columns if SAFELIGHT_RUN_IS_COLUMN is 1
//
// Bodies define void run(ivec2 first, int count), which calls store for each pixel. Other names that they must not use
// begin with safelight.
#include "Common/grid.glsl"

layout(binding = 1, SAFELIGHT_OUTPUT_FORMAT) writeonly uniform uimage2D safelight_destination;

void store(ivec2 position, uvec4 pixel) {
  imageStore(safelight_destination, position - SAFELIGHT_FIRST(0), pixel);
}

void main() {
  if (safelight_isOutsideGrid()) return;
  ivec4 safelight_area = SAFELIGHT_AREA(imageSize(safelight_destination));
  ivec2 safelight_place = ivec2(gl_GlobalInvocationID.xy);
#if SAFELIGHT_RUN_IS_COLUMN
  safelight_place.y *= SAFELIGHT_RUN_LENGTH;
  int safelight_left = safelight_area.w - safelight_place.y;
#else
  safelight_place.x *= SAFELIGHT_RUN_LENGTH;
  int safelight_left = safelight_area.z - safelight_place.x;
#endif
  run(safelight_place + safelight_area.xy, min(safelight_left, SAFELIGHT_RUN_LENGTH));
}
