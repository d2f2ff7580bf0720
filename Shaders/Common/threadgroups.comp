// threadgroups: a pass that makes a table or numbers, whose body has a main of its own.
//
// in   inputs       see Common/inputs.glsl
// out  destination  texture 1, stored through an integer view, or numbers, see Common/numbers.glsl
// grid threadgroups of 64 threads in a row, as many as the pass says
#include "Common/grid.glsl"

#ifdef SAFELIGHT_OUTPUT_FORMAT
layout(binding = 1, SAFELIGHT_OUTPUT_FORMAT) writeonly uniform highp uimage2D safelight_destination;

void store(ivec2 position, uvec4 entry) {
  imageStore(safelight_destination, position, entry);
}
#endif
