// stretch_transform: turns counts into the look-up table of a contrast stretch. Twin: ImageContrastStretch; the page
// Tone has the formula.
//
// in   counts  PLANES * ENTRIES, an entry for each value
// out  table   as lookup.glsl reads it; of one plane the same in every channel
// grid one threadgroup
// law  parts are in 1/65536, parts.x + parts.y < 65536. IS_LINKED: the least black and the greatest white serve all
//      planes. MAXIMUM^2 + MAXIMUM / 2 < 2^32.

#define CHUNK uint(ENTRIES / 64)

layout(std140, binding = 2) uniform Parameters {
  uvec4 parts;  // below and above
};

shared uvec4 chunkSums[64];
shared uint blacks[4];
shared uint whites[4];

uvec4 counted(uint entry) {
  uvec4 found = uvec4(0u);
  for (uint plane = 0u; plane < uint(PLANES); ++plane) found[plane] = counts(plane * uint(ENTRIES) + entry);
  return found;
}

// floor(total * parts / 65536), whose product may need 48 bits.
uvec4 partOf(uvec4 total, uint parts) {
  return (total >> 16) * parts + (((total & 65535u) * parts) >> 16);
}

uint stretched(uint value, uint black, uint white) {
  if (black >= white) return value;
  uint range = white - black;
  return (min(max(value, black) - black, range) * MAXIMUM + range / 2u) / range;
}

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint first = lane * CHUNK;
  uvec4 sum = uvec4(0u);
  for (uint i = 0u; i < CHUNK; ++i) sum += counted(first + i);
  chunkSums[lane] = sum;
  if (lane < 4u) {
    blacks[lane] = 0u;
    whites[lane] = 0u;
  }
  memoryBarrierShared();
  barrier();
  uvec4 total = uvec4(0u);
  uvec4 before = uvec4(0u);
  for (uint i = 0u; i < 64u; ++i) {
    if (i < lane) before += chunkSums[i];
    total += chunkSums[i];
  }
  uvec4 below = partOf(total, parts.x);
  uvec4 above = partOf(total, parts.y);
  for (uint entry = first; entry < first + CHUNK; ++entry) {
    uvec4 after = before + counted(entry);
    // Just one entry of a plane is each.
    for (uint plane = 0u; plane < uint(PLANES); ++plane) {
      if (before[plane] <= below[plane] && after[plane] > below[plane]) blacks[plane] = entry;
      uint rest = total[plane] - after[plane];
      if (total[plane] - before[plane] > above[plane] && rest <= above[plane]) whites[plane] = entry;
    }
    before = after;
  }
  memoryBarrierShared();
  barrier();
  uvec4 black = uvec4(blacks[0], blacks[1], blacks[2], blacks[3]);
  uvec4 white = uvec4(whites[0], whites[1], whites[2], whites[3]);
#if PLANES == 1
  black = black.rrrr;
  white = white.rrrr;
#elif IS_LINKED
  black = uvec4(min(black.r, min(black.g, black.b)));
  white = uvec4(max(white.r, max(white.g, white.b)));
#endif
  for (uint entry = first; entry < first + CHUNK; ++entry) {
    uvec4 outputs;
    for (uint channel = 0u; channel < 4u; ++channel) {
      outputs[channel] = stretched(entry, black[channel], white[channel]);
    }
    store(ivec2(int(entry & 255u), int(entry >> 8)), outputs);
  }
}
