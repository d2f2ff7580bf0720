// equalization_transform: turns counts into a look-up table. Twin: ImageHistogramEqualization.
//
//   table(i) = floor((2 * MAXIMUM * C(i) + N) / (2 * N)),  C the inclusive sum up to i, N the sum of all
//
// in   words  buffer 0, PLANES * ENTRIES counts from word placement.x on
// out  table  texture 1, 256 wide, ENTRIES / 256 rows, a channel a plane; an empty plane gets table(i) = i, and its
//             channel of the texel below the first column is 1 (0 otherwise)
// grid one threadgroup of 64
// law  C and N stay below 2^32, the product does not: it is divided bit by bit, exactly, in 32 bits
#include "Common/compute.glsl"
#include "Common/pixels.glsl"

#define CHUNK uint(ENTRIES / 64)

layout(std430, binding = 0) readonly buffer Histogram {
  uint words[];
};
layout(binding = 1, STORAGE_FORMAT) writeonly uniform uimage2D table;
layout(std140, binding = 2) uniform Parameters {
  uvec4 placement;  // first word
};

shared uvec4 chunkSums[64];

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

uvec4 counted(uint entry) {
  uvec4 counts = uvec4(0u);
  for (uint plane = 0u; plane < uint(PLANES); ++plane) {
    counts[plane] = words[placement.x + plane * uint(ENTRIES) + entry];
  }
  return counts;
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint first = lane * CHUNK;
  uvec4 sum = uvec4(0u);
  for (uint i = 0u; i < CHUNK; ++i) sum += counted(first + i);
  chunkSums[lane] = sum;
  memoryBarrierShared();
  barrier();
  uvec4 count = uvec4(0u);
  uvec4 total = uvec4(0u);
  for (uint i = 0u; i < 64u; ++i) {
    if (i < lane) count += chunkSums[i];
    total += chunkSums[i];
  }
  for (uint entry = first; entry < first + CHUNK; ++entry) {
    count += counted(entry);
    uvec4 outputs = uvec4(0u);
    for (uint plane = 0u; plane < uint(PLANES); ++plane) {
      outputs[plane] = total[plane] == 0u ? entry : scaled(count[plane], total[plane]);
    }
    imageStore(table, ivec2(int(entry & 255u), int(entry >> 8)), outputs);
  }
  if (lane == 0u) imageStore(table, ivec2(0, ENTRIES / 256), uvec4(equal(total, uvec4(0u))));
}
