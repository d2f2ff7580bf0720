// histogram_private: each lane counts for itself, without atomics or barriers; for software renderers.
//
// A renderer on the CPU runs atomics one lane at a time behind a bus lock, barriers as coroutines, and what lanes share
// in loops of loads and stores; arrays of a lane's own are read and written without. The choice of this form is one of
// speed only.
//
// grid one threadgroup of 8 for each placement.y rows
#include "Common/compute.glsl"
#include "Histogram/histogram_source.glsl"

void main() {
  uint counts[PLANES * ENTRIES];
  for (uint i = 0u; i < uint(PLANES * ENTRIES); ++i) counts[i] = 0u;
  int top = area.y + int(gl_WorkGroupID.y * placement.y);
  int bottom = min(top + int(placement.y), area.y + area.w);
  int right = area.x + area.z;
  for (int y = top; y < bottom; ++y) {
    for (int x = area.x + int(gl_LocalInvocationIndex); x < right; x += 8) {
      uvec4 samples = countedSamples(ivec2(x, y));
      for (uint plane = 0u; plane < uint(PLANES); ++plane) {
        if (isCounted(samples, plane)) ++counts[plane * uint(ENTRIES) + binOf(samples[plane], plane)];
      }
    }
  }
  for (uint i = 0u; i < uint(PLANES * ENTRIES); ++i) {
    if (counts[i] != 0u) atomicAdd(words[placement.x + i], counts[i]);
  }
}
