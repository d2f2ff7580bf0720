// clahe_count: the counts of each tile of the picture. Twin: ImageContrastLimitedEqualization.
//
// in   Tiles    the columns of the grid of tiles; the columns and the rows of threadgroups for a tile; the columns and
//               the rows of a tile, and of the picture
// out  numbers  PLANES * ENTRIES counts a tile, planar
// grid threadgroups for tiles; a thread has a column, a threadgroup 64 rows
// law  with COUNTS_VISIBLE pixels of alpha 0 are left out
#include "Equalization/clahe_tables.glsl"

layout(std140, binding = 2) uniform Tiles {
  uvec4 grid;
  ivec4 sizes;
};

#if SAMPLE_BITS == 8
// PLANES * 256 counts are 3 KiB.
shared uint counts[PLANES * 256];
#endif

// The column or row that fills a place of a lengthened axis of `length` pixels: … c b a *b c*.
int reflected(int place, int length) {
  if (place < length) return place;
  int period = 2 * (length - 1);
  int phase = length == 1 ? 0 : place % period;
  return min(phase, period - phase);
}

void count(uint first, uvec4 samples) {
  for (uint plane = 0u; plane < uint(PLANES); ++plane) {
#if SAMPLE_BITS == 8
    atomicAdd(counts[plane * ENTRIES + samples[plane]], 1u);
#else
    addNumber(first + plane * ENTRIES + samples[plane], 1u);
#endif
  }
}

void main() {
  uvec2 tile = gl_WorkGroupID.xy / grid.yz;
  ivec2 part = ivec2(gl_WorkGroupID.xy % grid.yz) * 64;
  uint first = (tile.y * grid.x + tile.x) * uint(PLANES) * ENTRIES;
#if SAMPLE_BITS == 8
  for (uint i = gl_LocalInvocationIndex; i < uint(PLANES) * ENTRIES; i += 64u) counts[i] = 0u;
  memoryBarrierShared();
  barrier();
#endif
  int x = part.x + int(gl_LocalInvocationIndex);
  int column = reflected(int(tile.x) * sizes.x + x, sizes.z);
  // Threads right of the tile run no round of the loop, but still reach the barrier below.
  int bottom = x < sizes.x ? min(part.y + 64, sizes.y) : part.y;
  for (int y = part.y; y < bottom; ++y) {
    ivec2 position = ivec2(column, reflected(int(tile.y) * sizes.y + y, sizes.w));
    if (!isVisited(position)) continue;
    uvec4 samples = source(position);
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
    if (counts[i] != 0u) addNumber(first + i, counts[i]);
  }
#endif
}
