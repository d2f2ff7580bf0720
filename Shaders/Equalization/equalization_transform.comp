// equalization_transform: turns counts into a look-up table by the rule RULE. Twin: ImageHistogramEqualization.
//
// in   words  buffer 0, PLANES * ENTRIES counts from word placement.x on
// out  table  texture 1, 256 wide, ENTRIES / 256 rows, a channel a plane; a plane that stays as it is gets
//             table(i) = i, and its channel of the texel below the first column is 1 (0 otherwise); levels of
//             FFMPEG are of two's complement
// grid one threadgroup of 64
// law  sums of counts stay below 2^32; what does not is worked out in parts of 32 bits, exactly
#include "Common/compute.glsl"
#include "Common/pixels.glsl"
#include "Equalization/equalization_rules.glsl"

#define CHUNK uint(ENTRIES / 64)

layout(std430, binding = 0) readonly buffer Histogram {
  uint words[];
};
layout(binding = 1, rgba16ui) writeonly uniform uimage2D table;
layout(std140, binding = 2) uniform Parameters {
  uvec4 placement;  // first word; strength and intensity of FFMPEG in 1/1000
};

shared uvec4 chunkSums[64];
#if RULE != NORMALIZED_SUM
shared uvec4 chunkEdges[64];
#endif

uvec4 counted(uint entry) {
  uvec4 counts = uvec4(0u);
  for (uint plane = 0u; plane < uint(PLANES); ++plane) {
    counts[plane] = words[placement.x + plane * uint(ENTRIES) + entry];
  }
  return counts;
}

// What the rule must know of the whole histogram's first or last entry.
uvec4 wholeEdge() {
  uvec4 edge = uvec4(0u);
#if RULE != NORMALIZED_SUM
  for (uint i = 0u; i < 64u; ++i) edge = joinedEdges(edge, chunkEdges[i]);
#endif
#if RULE == LIBVIPS && SAMPLE_BITS == 8
  edge = uvec4(ENTRIES);
#elif RULE == LIBVIPS
  edge = uvec4(max(max(edge.r, edge.g), max(edge.b, edge.a)));
#endif
  return edge;
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint first = lane * CHUNK;
  uvec4 sum = uvec4(0u);
  uvec4 edge = uvec4(0u);
  for (uint i = 0u; i < CHUNK; ++i) {
    uvec4 counts = counted(first + i);
    sum += counts;
    edge = joinedEdges(edge, edgeOf(first + i, counts));
  }
  chunkSums[lane] = sum;
#if RULE != NORMALIZED_SUM
  chunkEdges[lane] = edge;
#endif
  memoryBarrierShared();
  barrier();
  sum = uvec4(0u);
  uvec4 total = uvec4(0u);
  for (uint i = 0u; i < 64u; ++i) {
    if (i < lane) sum += chunkSums[i];
    total += chunkSums[i];
  }
  edge = wholeEdge();
  Plane planes[PLANES];
  uvec4 stays = uvec4(1u);
  for (uint plane = 0u; plane < uint(PLANES); ++plane) {
    planes[plane] = planeOf(total[plane], edge[plane]);
    stays[plane] = planes[plane].stays;
  }
  for (uint entry = first; entry < first + CHUNK; ++entry) {
    uvec4 counts = counted(entry);
    sum += counts;
    uvec4 outputs = uvec4(0u);
    for (uint plane = 0u; plane < uint(PLANES); ++plane) {
      outputs[plane] =
        planes[plane].stays != 0u ? entry : outputOf(planes[plane], entry, counts[plane], sum[plane], placement.yz);
    }
#if RULE == FFMPEG
    outputs &= 0xFFFFu;
#endif
    imageStore(table, ivec2(int(entry & 255u), int(entry >> 8)), outputs);
  }
  if (lane == 0u) imageStore(table, ivec2(0, ENTRIES / 256), stays);
}
