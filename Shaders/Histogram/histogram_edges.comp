// histogram_edges: the smallest float of each entry, for a range that the device has measured. Twin: HistogramEdges.
//
// in   Extrema  buffer 0, as histogram_extrema leaves it
// in   Limits   the keys of the histogram's info's range
// out  minmax   texture 1: the least samples at (0, 0), the greatest at (1, 0); 0 where there are none
// out  edges    texture 2, as edges.glsl reads it
// grid a thread for each entry of each plane
// law  v belongs to entry e or later where ENTRIES * v - (ENTRIES - e) * low - e * high >= 0, low = max(least, lowest),
//      high = min(greatest, highest); where that does not rise, what is above low belongs to the last entry. The sum is
//      a whole number of 2^-149: 24 bits times 17 bits, moved by 253 at most, is below 2^294, three of them and a sign
//      are below 2^297 and fit into ten words.
#include "Common/compute.glsl"
#include "Histogram/keys.glsl"

layout(std430, binding = 0) readonly buffer Extrema {
  uvec4 complements;
  uvec4 greatest;
};
layout(binding = 1, rgba32f) writeonly uniform image2D minmax;
layout(binding = 2, r32ui) writeonly uniform uimage2D edges;
layout(std140, binding = 3) uniform Limits {
  uvec4 lowest;
  uvec4 highest;
};

// Adds factor times the float of a key, in two's complement.
void add(inout uint sum[10], uint key, uint factor, bool isNegated) {
  uint bits = bitsOf(key);
  uint exponent = (bits >> 23) & 0xFFu;
  if (exponent == 0u) return;
  uint high;
  uint low;
  umulExtended((bits & 0x7FFFFFu) | 0x800000u, factor, high, low);
  int place = int(exponent - 1u) >> 5;
  uint shift = (exponent - 1u) & 31u;
  uvec3 parts = uvec3(low << shift, high << shift, 0u);
  if (shift != 0u) parts.yz |= uvec2(low, high) >> (32u - shift);
  bool isSubtracted = ((bits >> 31) != 0u) != isNegated;
  uint carry = isSubtracted ? 1u : 0u;
  for (int i = 0; i < 10; ++i) {
    uint part = i < place || i > place + 2 ? 0u : parts[i - place];
    uint first;
    uint second;
    sum[i] = uaddCarry(uaddCarry(sum[i], isSubtracted ? ~part : part, first), carry, second);
    carry = first | second;
  }
}

bool reaches(uint key, uint entry, uint low, uint high) {
  uint sum[10] = uint[10](0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  add(sum, key, uint(ENTRIES), false);
  add(sum, low, uint(ENTRIES) - entry, true);
  add(sum, high, entry, true);
  return (sum[9] >> 31) == 0u;
}

uint edgeOf(uint entry, uint low, uint high) {
  if (entry == 0u) return 0u;
  if (low >= high) return low + 1u;
  uint below = low;
  uint edge = high;
  while (edge - below > 1u) {
    uint middle = below + (edge - below) / 2u;
    if (reaches(middle, entry, low, high)) edge = middle; else below = middle;
  }
  return (bitsOf(edge) & 0x7F800000u) == 0u ? KEY_OF_ZERO : edge;
}

vec4 valuesOf(uvec4 keys) {
  return uintBitsToFloat(uvec4(bitsOf(keys.r), bitsOf(keys.g), bitsOf(keys.b), bitsOf(keys.a)));
}

void main() {
  if (isOutsideGrid()) return;
  uint entry = gl_GlobalInvocationID.x;
  uint plane = gl_GlobalInvocationID.y;
  bvec4 isEmpty = equal(complements, uvec4(0u));
  uvec4 least = mix(~complements, uvec4(KEY_OF_ZERO), isEmpty);
  uvec4 most = mix(greatest, uvec4(KEY_OF_ZERO), isEmpty);
  uint edge = edgeOf(entry, max(least, lowest)[plane], min(most, highest)[plane]);
  imageStore(edges, ivec2(int(entry & 255u), int(plane * uint(ENTRIES / 256) + (entry >> 8))), uvec4(edge));
  if (entry == 0u && plane == 0u) {
    imageStore(minmax, ivec2(0, 0), valuesOf(least));
    imageStore(minmax, ivec2(1, 0), valuesOf(most));
  }
}
