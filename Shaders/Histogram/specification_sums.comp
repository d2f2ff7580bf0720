// specification_sums: the inclusive sums of both histograms of a specification. Twin: ImageHistogramSpecification.
//
// in   source, desired  buffers 0 and 1, planar counts from the words of placement on
// out  sums  buffer 2: those of the source, plane after plane, then those of the desired histogram
// grid one threadgroup of 64 for each plane (x) and histogram (y)
// law  sums of counts stay below 2^32
#include "Common/compute.glsl"

#define CHUNK uint(ENTRIES / 64)

layout(std430, binding = 0) readonly buffer Source {
  uint source[];
};
layout(std430, binding = 1) readonly buffer Desired {
  uint desired[];
};
layout(std430, binding = 2) writeonly buffer Sums {
  uint sums[];
};
layout(std140, binding = 3) uniform Parameters {
  uvec4 placement;  // first word of the source's, of the desired histogram
};

shared uint chunkSums[64];

uint counted(uint entry) {
  uint place = gl_WorkGroupID.x * uint(ENTRIES) + entry;
  return gl_WorkGroupID.y == 0u ? source[placement.x + place] : desired[placement.y + place];
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint first = lane * CHUNK;
  uint sum = 0u;
  for (uint i = 0u; i < CHUNK; ++i) sum += counted(first + i);
  chunkSums[lane] = sum;
  memoryBarrierShared();
  barrier();
  sum = 0u;
  for (uint i = 0u; i < lane; ++i) sum += chunkSums[i];
  uint place = (gl_WorkGroupID.y * uint(PLANES) + gl_WorkGroupID.x) * uint(ENTRIES);
  for (uint entry = first; entry < first + CHUNK; ++entry) {
    sum += counted(entry);
    sums[place + entry] = sum;
  }
}
