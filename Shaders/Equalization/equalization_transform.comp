// equalization_transform: turns counts into a look-up table. Twin: EqualizationTransform.
//
//   table(i) = floor((2 * MAXIMUM * C(i) + N) / (2 * N)),  C the inclusive sum up to i, N the sum of all
//
// in   words  buffer 0, PLANES * ENTRIES counts from word placement.x on
// out  table  texture 1, r32ui, 256 wide, ENTRIES / 256 rows a plane; KEEP everywhere for an empty histogram
// grid one threadgroup of 64 a plane
// law  C and N stay below 2^32, the product does not: it is divided bit by bit, exactly, in 32 bits
#include "compute.glsl"

#define KEEP 0xFFFFFFFFu
#define CHUNK uint(ENTRIES / 64)

layout(std430, binding = 0) readonly buffer Histogram {
  uint words[];
};
layout(binding = 1, r32ui) writeonly uniform uimage2D table;
layout(std140, binding = 2) uniform Parameters {
  uvec4 placement;  // first word
};

shared uint chunkSums[64];

// round(MAXIMUM * count / total), halves upward, for count <= total < 2^32. MAXIMUM is all ones, so Horner's rule adds
// count in each of its bits; value and remainder stand for MAXIMUM' * count = value * total + remainder.
uint scaled(uint count, uint total) {
  uint value = 0u;
  uint remainder = 0u;
  for (uint bit = 0u; bit < uint(SAMPLE_BITS); ++bit) {
    value <<= 1;
    if (remainder >= total - remainder) {
      remainder -= total - remainder;
      value += 1u;
    } else {
      remainder += remainder;
    }
    if (count >= total - remainder) {
      remainder -= total - count;
      value += 1u;
    } else {
      remainder += count;
    }
  }
  return remainder >= total - remainder ? value + 1u : value;
}

void main() {
  uint plane = gl_WorkGroupID.x;
  uint lane = gl_LocalInvocationIndex;
  uint first = placement.x + plane * uint(ENTRIES) + lane * CHUNK;
  uint sum = 0u;
  for (uint i = 0u; i < CHUNK; ++i) sum += words[first + i];
  chunkSums[lane] = sum;
  memoryBarrierShared();
  barrier();
  uint count = 0u;
  uint total = 0u;
  for (uint i = 0u; i < 64u; ++i) {
    if (i < lane) count += chunkSums[i];
    total += chunkSums[i];
  }
  for (uint i = 0u; i < CHUNK; ++i) {
    count += words[first + i];
    uint entry = lane * CHUNK + i;
    ivec2 position = ivec2(int(entry & 255u), int(plane * uint(ENTRIES / 256) + (entry >> 8)));
    imageStore(table, position, uvec4(total == 0u ? KEEP : scaled(count, total), 0u, 0u, 0u));
  }
}
