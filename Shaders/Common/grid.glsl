// grid: the threads of a compute function, for the wrappers of bodies; all names but the macros of the dispatch begin
// with safelight, so that none is one of a body.
//
// THREADGROUP_WIDTH and THREADGROUP_HEIGHT come from the dispatch. The grid is rounded up to whole threadgroups;
// a thread outside it must do nothing, and in a function with barrier() must still reach every barrier.
layout(local_size_x = THREADGROUP_WIDTH, local_size_y = THREADGROUP_HEIGHT) in;

uniform uvec2 safelight_threadsPerGrid;

// Words into each storage buffer at which what was bound begins: the driver takes offsets of its own alignment only.
uniform uint safelight_bufferOffsets[8];

bool safelight_isOutsideGrid() {
  return any(greaterThanEqual(gl_GlobalInvocationID.xy, safelight_threadsPerGrid));
}
