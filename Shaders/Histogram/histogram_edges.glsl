// histogram_edges: the smallest float of each entry, for a range that the device has measured. Twin: HistogramEdges.
//
// in   extrema  the numbers of histogram_extrema
// in   Limits   the keys of the histogram's info's range
// out  edges.glsl's table
// law  v belongs to entry e or later where ENTRIES * v - (ENTRIES - e) * low - e * high >= 0, low = max(least, lowest),
//      high = min(greatest, highest); where that does not rise, what is above low belongs to the last entry. The sum is
//      a whole number of 2^-149: 24 bits times 17 bits, moved by 253 at most, is below 2^294, three of them and a sign
//      are below 2^297 and fit into ten words.
layout(std140, binding = 2) uniform Limits {
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

uvec4 pointKernel(uvec4 pixel) {
  ivec2 position = pixelPosition();
  uint plane = uint(position.y) / uint(ENTRIES / 256);
  uint entry = uint(position.x) + (uint(position.y) % uint(ENTRIES / 256)) * 256u;
  uint least = extrema(plane);
  uint most = extrema(4u + plane);
  if (least > most) {
    least = KEY_OF_ZERO;
    most = KEY_OF_ZERO;
  }
  uint edge = edgeOf(entry, max(least, lowest[plane]), min(most, highest[plane]));
  return uvec4(edge & 0xFFFFu, edge >> 16, 0u, 0u);
}
