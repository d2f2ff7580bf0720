// temporal_sum: the sum of the histograms of the last LENGTH pictures since the last cut. Twin: TemporalHistogram.
//
// in   current, oldest  buffers 0 and 1: the new histogram, and the one to subtract once LENGTH are summed
// i/o  sum    buffer 2
// i/o  state  buffer 3: words 0 and 1 are the number of summed pictures, one to read and one to write; words 2 and 3 as
//             temporal_distance leaves them
// grid a thread for each entry of each plane
// law  a picture is a cut if it is the first, or if distance * 65536 > cut * samples, in 64 bits. A word is written
//      by its own thread, and the sum is modulo 2^32, so that subtracted histograms leave no trace.
#include "Common/compute.glsl"

layout(std430, binding = 0) readonly buffer Current {
  uint current[];
};
layout(std430, binding = 1) readonly buffer Oldest {
  uint oldest[];
};
layout(std430, binding = 2) buffer Sum {
  uint sum[];
};
layout(std430, binding = 3) buffer State {
  uint state[];
};
layout(std140, binding = 4) uniform Parameters {
  uvec4 parameters;  // the word to read, cut in 1 / 65536
};

bool isCut(uint length) {
  if (length == 0u) return true;
  uint distanceHigh;
  uint distanceLow;
  uint limitHigh;
  uint limitLow;
  umulExtended(state[2], 65536u, distanceHigh, distanceLow);
  umulExtended(state[3], parameters.y, limitHigh, limitLow);
  return distanceHigh > limitHigh || (distanceHigh == limitHigh && distanceLow > limitLow);
}

void main() {
  if (isOutsideGrid()) return;
  uint word = gl_GlobalInvocationID.y * uint(ENTRIES) + gl_GlobalInvocationID.x;
  uint length = state[parameters.x];
  bool startsAnew = isCut(length);
  uint kept = startsAnew ? 0u : length < uint(LENGTH) ? sum[word] : sum[word] - oldest[word];
  sum[word] = kept + current[word];
  if (word == 0u) state[1u - parameters.x] = startsAnew ? 1u : min(length + 1u, uint(LENGTH));
}
