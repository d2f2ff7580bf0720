// clahe_transform: turns the counts of each tile into a look-up table. Twin: ImageContrastLimitedEqualization; the
// page Equalization has the formulas.
//
// in   words  buffer 0, PLANES * ENTRIES counts a tile, planar
// in   parameters  bytes 2: the greatest count (0xFFFFFFFF for none), the bits of fl(MAXIMUM / fl(pixels of a tile))
// out  table  texture 1, see clahe_tables
// grid a threadgroup of 64 for each tile
// law  an entry i gets one of the rest if i % stride = 0 and i / stride < rest, stride = ENTRIES / rest; sums are the
//      pixels of a tile, below 2^31
#include "Common/compute.glsl"
#include "Common/single.glsl"
#include "Equalization/clahe_tables.glsl"

#define CHUNK (ENTRIES / 64u)

layout(std430, binding = 0) readonly buffer Histograms {
  uint words[];
};
layout(binding = 1, rgba16ui) writeonly uniform uimage2D table;
layout(std140, binding = 2) uniform Parameters {
  uvec4 parameters;
};

shared uvec4 chunkSums[64];
shared uvec4 chunkExcesses[64];

uvec4 counted(uint entry) {
  uvec4 counts = uvec4(0u);
  for (uint plane = 0u; plane < uint(PLANES); ++plane) {
    counts[plane] = words[(gl_WorkGroupID.x * uint(PLANES) + plane) * ENTRIES + entry];
  }
  return counts;
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint first = lane * CHUNK;
  uvec4 greatest = uvec4(parameters.x);
  Single scale = singleOfBits(parameters.y);
  uvec4 sum = uvec4(0u);
  uvec4 excess = uvec4(0u);
  for (uint i = 0u; i < CHUNK; ++i) {
    uvec4 counts = counted(first + i);
    uvec4 clipped = min(counts, greatest);
    sum += clipped;
    excess += counts - clipped;
  }
  chunkSums[lane] = sum;
  chunkExcesses[lane] = excess;
  memoryBarrierShared();
  barrier();
  sum = uvec4(0u);
  excess = uvec4(0u);
  for (uint i = 0u; i < 64u; ++i) {
    if (i < lane) sum += chunkSums[i];
    excess += chunkExcesses[i];
  }
  uvec4 batch = excess / ENTRIES;
  uvec4 rest = excess % ENTRIES;
  uvec4 stride = uvec4(ENTRIES) / max(rest, uvec4(1u));
  // What the entries before the first got.
  sum += batch * first + min(rest, (uvec4(first) + stride - 1u) / stride);
  for (uint entry = first; entry < first + CHUNK; ++entry) {
    uvec4 extra = uvec4(equal(uvec4(entry) % stride, uvec4(0u))) * uvec4(lessThan(uvec4(entry) / stride, rest));
    sum += min(counted(entry), greatest) + batch + extra;
    uvec4 outputs = uvec4(0u);
    for (uint plane = 0u; plane < uint(PLANES); ++plane) {
      outputs[plane] = min(nearest(product(single(0u, sum[plane], 0), scale)), uint(MAXIMUM));
    }
    imageStore(table, tablePosition(gl_WorkGroupID.x, entry), outputs);
  }
}
