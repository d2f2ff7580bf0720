// histogram_shared: counts in threadgroup memory, then adds the threadgroup's sums to the result; for GPUs.
//
// grid as histogram_global; PLANES * ENTRIES counts must fit into 16 KiB of threadgroup memory
// law  the sum of integers in any order: equal to the twin on every driver
#include "Common/compute.glsl"
#include "Histogram/histogram_source.glsl"

shared uint counts[PLANES * ENTRIES];

void main() {
  for (uint i = gl_LocalInvocationIndex; i < uint(PLANES * ENTRIES); i += uint(THREADGROUP_WIDTH)) counts[i] = 0u;
  memoryBarrierShared();
  barrier();
  int x = area.x + int(gl_GlobalInvocationID.x);
  int top = area.y + int(gl_WorkGroupID.y * placement.y);
  // Threads right of the area run no round of the loop, but still reach the barrier below.
  int bottom = x < area.x + area.z ? min(top + int(placement.y), area.y + area.w) : top;
  for (int y = top; y < bottom; ++y) {
    uvec4 samples = countedSamples(ivec2(x, y));
    for (uint plane = 0u; plane < uint(PLANES); ++plane) {
      if (isCounted(samples, plane)) {
        atomicAdd(counts[plane * uint(ENTRIES) + binOf(samples[plane], plane)], 1u);
      }
    }
  }
  memoryBarrierShared();
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < uint(PLANES * ENTRIES); i += uint(THREADGROUP_WIDTH)) {
    if (counts[i] != 0u) atomicAdd(words[placement.x + i], counts[i]);
  }
}
