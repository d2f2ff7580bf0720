// compute: what Metal gives a kernel and GLSL does not.
#include "Common/grid.glsl"

// True for the threads beyond the grid.
bool isOutsideGrid() {
  return safelight_isOutsideGrid();
}
