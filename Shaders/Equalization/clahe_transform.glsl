// clahe_transform: turns the counts of each tile into a look-up table. Twin: ImageContrastLimitedEqualization; the
// page Equalization has the formulas.
//
// in   counts      PLANES * ENTRIES a tile, planar
// in   parameters  the greatest count (0xFFFFFFFF for none), the bits of fl(MAXIMUM / fl(pixels of a tile)),
//                  the pixels of a tile
// out  table  see clahe_tables
// grid a threadgroup for each tile
// law  an entry i gets one of the rest if i % stride = 0 and i / stride < rest, stride = ENTRIES / rest; sums are the
//      pixels of a tile, below 2^31. With COUNTS_VISIBLE a tile may have counted fewer, total, of its pixels: the
//      greatest count is max(1, floor(greatest * total / pixels)), the scale fl(MAXIMUM / fl(total)), and a tile of
//      none gets table(i) = i
#include "Common/softfloat.glsl"
#include "Equalization/clahe_tables.glsl"

#if COUNTS_VISIBLE
#define MULDIV_BITS 32
#include "Common/muldiv.glsl"
#endif

#define CHUNK (ENTRIES / 64u)

layout(std140, binding = 2) uniform Parameters {
  uvec4 parameters;
};

shared uvec4 chunkSums[64];
shared uvec4 chunkExcesses[64];
#if COUNTS_VISIBLE
shared uint chunkTotals[64];
#endif

uvec4 counted(uint entry) {
  uvec4 found = uvec4(0u);
  for (uint plane = 0u; plane < uint(PLANES); ++plane) {
    found[plane] = counts((gl_WorkGroupID.x * uint(PLANES) + plane) * ENTRIES + entry);
  }
  return found;
}

#if COUNTS_VISIBLE
// The pixels that the tile has counted, in every plane as many.
uint countedPixels(uint lane) {
  uint total = 0u;
  for (uint i = 0u; i < CHUNK; ++i) total += counts(gl_WorkGroupID.x * uint(PLANES) * ENTRIES + lane * CHUNK + i);
  chunkTotals[lane] = total;
  memoryBarrierShared();
  barrier();
  total = 0u;
  for (uint i = 0u; i < 64u; ++i) total += chunkTotals[i];
  return min(total, parameters.z);
}
#endif

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint first = lane * CHUNK;
  uvec4 greatest = uvec4(parameters.x);
  Single scale = singleOfBits(parameters.y);
#if COUNTS_VISIBLE
  uint total = countedPixels(lane);
  if (parameters.x != 0xFFFFFFFFu) greatest = uvec4(max(1u, muldiv(parameters.x, total, parameters.z).x));
  Single pixels = single(0u, max(total, 1u), 0);
  scale = quotient(uint(MAXIMUM), pixels.mantissa);
  scale.exponent -= pixels.exponent;
#endif
  uvec4 sum = uvec4(0u);
  uvec4 excess = uvec4(0u);
  for (uint i = 0u; i < CHUNK; ++i) {
    uvec4 found = counted(first + i);
    uvec4 clipped = min(found, greatest);
    sum += clipped;
    excess += found - clipped;
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
#if COUNTS_VISIBLE
      if (total == 0u) outputs[plane] = entry;
#endif
    }
    store(tablePosition(gl_WorkGroupID.x, entry), outputs);
  }
}
