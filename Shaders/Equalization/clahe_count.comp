// clahe_count: counts rectangles of a texture, each for a tile of the picture. Twin: ImageContrastLimitedEqualization.
//
// in   source  texture 0
// in   parts   bytes 2, two for each layer of the grid: x, y, width, height; first word of the tile's counts
// out  words   buffer 1, PLANES * ENTRIES counts a tile, planar, added to
// grid threadgroups of 64: a column a thread, 64 rows a threadgroup, as many as the largest part needs; a layer a part
// law  with COUNTS_VISIBLE pixels of alpha 0 are left out
//      the sum of integers in any order: equal to the twin on every driver
#include "Common/compute.glsl"
#include "Equalization/clahe_tables.glsl"

layout(binding = 0) uniform SOURCE_TEXTURE source;
layout(std430, binding = 1) buffer Histograms {
  uint words[];
};
layout(std140, binding = 2) uniform Parts {
  uvec4 parts[2 * PARTS];
};

#if SAMPLE_BITS == 8
// PLANES * 256 counts are 3 KiB.
shared uint counts[PLANES * 256];
#endif

void count(uint first, uvec4 samples) {
  for (uint plane = 0u; plane < uint(PLANES); ++plane) {
#if SAMPLE_BITS == 8
    atomicAdd(counts[plane * ENTRIES + samples[plane]], 1u);
#else
    atomicAdd(words[first + plane * ENTRIES + samples[plane]], 1u);
#endif
  }
}

void main() {
  ivec4 area = ivec4(parts[2u * gl_WorkGroupID.z]);
  uint first = parts[2u * gl_WorkGroupID.z + 1u].x;
#if SAMPLE_BITS == 8
  for (uint i = gl_LocalInvocationIndex; i < uint(PLANES) * ENTRIES; i += 64u) counts[i] = 0u;
  memoryBarrierShared();
  barrier();
#endif
  int x = int(gl_GlobalInvocationID.x);
  int top = int(gl_WorkGroupID.y) * 64;
  // Threads right of the part run no round of the loop, but still reach the barrier below.
  int bottom = x < area.z ? min(top + 64, area.w) : top;
  for (int y = top; y < bottom; ++y) {
    uvec4 samples = fetchPixel(source, area.xy + ivec2(x, y));
#if COUNTS_VISIBLE
    if (samples.a == 0u) continue;
#endif
#if COUNTS_LUMA
    samples.r = luma601(samples);
#endif
    count(first, samples);
  }
#if SAMPLE_BITS == 8
  memoryBarrierShared();
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < uint(PLANES) * ENTRIES; i += 64u) {
    if (counts[i] != 0u) atomicAdd(words[first + i], counts[i]);
  }
#endif
}
