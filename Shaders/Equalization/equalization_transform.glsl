// equalization_transform: turns counts into a look-up table by the rule RULE. Twin: ImageHistogramEqualization.
//
// in   counts  PLANES * ENTRIES
// out  table   256 wide, ENTRIES / 256 rows, a channel a plane; a plane that stays as it is gets table(i) = i, and its
//              channel of the texel below the first column is 1 (0 otherwise); levels of FFMPEG are of two's complement
// grid one threadgroup
// law  sums of counts stay below 2^32; what does not is worked out in parts of 32 bits, exactly
#include "Equalization/equalization_rules.glsl"

#define CHUNK uint(ENTRIES / 64)

#if RULE == FFMPEG
layout(std140, binding = 2) uniform Parameters {
  uvec4 parameters;  // strength and intensity in 1/1000
};
#define PARTS parameters.xy
#else
#define PARTS uvec2(0u)
#endif

shared uvec4 chunkSums[64];
#if RULE != NORMALIZED_SUM
shared uvec4 chunkEdges[64];
#endif

uvec4 counted(uint entry) {
  uvec4 found = uvec4(0u);
  for (uint plane = 0u; plane < uint(PLANES); ++plane) found[plane] = counts(plane * uint(ENTRIES) + entry);
  return found;
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
    uvec4 found = counted(first + i);
    sum += found;
    edge = joinedEdges(edge, edgeOf(first + i, found));
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
    uvec4 found = counted(entry);
    sum += found;
    uvec4 outputs = uvec4(0u);
    for (uint plane = 0u; plane < uint(PLANES); ++plane) {
      outputs[plane] =
        planes[plane].stays != 0u ? entry : outputOf(planes[plane], entry, found[plane], sum[plane], PARTS);
    }
#if RULE == FFMPEG
    outputs &= 0xFFFFu;
#endif
    store(ivec2(int(entry & 255u), int(entry >> 8)), outputs);
  }
  if (lane == 0u) store(ivec2(0, ENTRIES / 256), stays);
}
