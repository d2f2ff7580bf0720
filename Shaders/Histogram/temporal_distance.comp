// temporal_distance: how far the histograms of two pictures lie apart. Twin: TemporalHistogram.
//
// in   current, previous  buffers 0 and 1, PLANES * ENTRIES counts each, planar
// out  state  buffer 2: adds sum |current - previous| over 64 groups of neighboring entries of each plane to word 2,
//             the samples of both to word 3
// grid one threadgroup of 64 for each plane
// law  sums of integers in any order; both words stay below 2^32 where the samples of a picture do twice over
#include "Common/compute.glsl"

#define CHUNK uint(ENTRIES / 64)

layout(std430, binding = 0) readonly buffer Current {
  uint current[];
};
layout(std430, binding = 1) readonly buffer Previous {
  uint previous[];
};
layout(std430, binding = 2) buffer State {
  uint state[];
};

void main() {
  uint first = gl_WorkGroupID.x * uint(ENTRIES) + gl_LocalInvocationIndex * CHUNK;
  uint now = 0u;
  uint before = 0u;
  for (uint entry = first; entry < first + CHUNK; ++entry) {
    now += current[entry];
    before += previous[entry];
  }
  atomicAdd(state[2], max(now, before) - min(now, before));
  atomicAdd(state[3], now + before);
}
