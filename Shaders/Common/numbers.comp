// numbers: a pass that makes numbers of the pixels of its first input.
//
// in   inputs   see Common/inputs.glsl
// out  numbers  see Common/numbers.glsl
// grid if SAFELIGHT_VISITS_LANES is 1, threadgroups of 8 threads, one above the other, each of as many rows; else of 64
//      threads, each for 64 columns and 64 rows
//
// Names that bodies must not use begin with safelight.
#include "Common/grid.glsl"

ivec2 safelight_position = ivec2(0);

ivec2 pixelPosition() {
  return safelight_position;
}

void main() {
  ivec4 safelight_area = SAFELIGHT_VISITED;
  ivec2 safelight_end = safelight_area.xy + safelight_area.zw;
#if SAFELIGHT_VISITS_LANES
  int safelight_rows = (safelight_area.w + int(gl_NumWorkGroups.y) - 1) / int(gl_NumWorkGroups.y);
#else
  int safelight_rows = 64;
#endif
  int safelight_left = safelight_area.x + int(gl_GlobalInvocationID.x);
  int safelight_top = safelight_area.y + int(gl_WorkGroupID.y) * safelight_rows;
  int safelight_bottom = min(safelight_top + safelight_rows, safelight_end.y);
  begin();
#if SAFELIGHT_VISITS_LANES
  for (int safelight_y = safelight_top; safelight_y < safelight_bottom; ++safelight_y) {
    for (int safelight_x = safelight_left; safelight_x < safelight_end.x; safelight_x += 8) {
      safelight_position = ivec2(safelight_x, safelight_y);
      take(SAFELIGHT_PIXEL);
    }
  }
#else
  // Threads right of the area take nothing, but still reach the barriers of give.
  if (safelight_left >= safelight_end.x) safelight_bottom = safelight_top;
  for (int safelight_y = safelight_top; safelight_y < safelight_bottom; ++safelight_y) {
    safelight_position = ivec2(safelight_left, safelight_y);
    take(SAFELIGHT_PIXEL);
  }
#endif
  give();
}
