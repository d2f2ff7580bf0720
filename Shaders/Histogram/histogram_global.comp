// histogram_global: counts straight into the result; for any number of entries.
//
// grid one threadgroup for each THREADGROUP_WIDTH columns and placement.y rows; threads outside the area count nothing
// law  the sum of integers in any order: equal to the twin on every driver
#include "Common/compute.glsl"
#include "Histogram/histogram_source.glsl"

void main() {
  int x = area.x + int(gl_GlobalInvocationID.x);
  int top = area.y + int(gl_WorkGroupID.y * placement.y);
  int bottom = min(top + int(placement.y), area.y + area.w);
  if (x >= area.x + area.z) return;
  // A run of equal samples becomes one atomic: flat areas would otherwise queue at one address.
  uvec4 lastBin = uvec4(0u);
  uvec4 run = uvec4(0u);
  for (int y = top; y < bottom; ++y) {
    uvec4 samples = countedSamples(ivec2(x, y));
    for (uint plane = 0u; plane < uint(PLANES); ++plane) {
      if (isCounted(samples, plane)) {
        uint bin = binOf(samples[plane], plane);
        if (bin != lastBin[plane]) {
          if (run[plane] != 0u) {
            atomicAdd(words[placement.x + plane * uint(ENTRIES) + lastBin[plane]], run[plane]);
          }
          lastBin[plane] = bin;
          run[plane] = 0u;
        }
        run[plane] += 1u;
      }
    }
  }
  for (uint plane = 0u; plane < uint(PLANES); ++plane) {
    if (run[plane] != 0u) {
      atomicAdd(words[placement.x + plane * uint(ENTRIES) + lastBin[plane]], run[plane]);
    }
  }
}
