// specification_transform: the look-up table from the sums of both histograms. Twin: ImageHistogramSpecification; the
// page Histograms has the formula.
//
// in   sums     the inclusive sums of the source: S, N in all
// in   desired  those of the desired histogram: D, M in all; with DESIRED_IS_TABLE in a table, 256 wide, the lower and
//               the upper half, ENTRIES / 256 rows a plane
// out  table  as equalization_transform makes it
// law  D(j) * N and S(i) * M, products of 64 bits, are compared in parts of 32. A plane stays if either histogram is
//      empty.
#include "Histogram/bins.glsl"

uint sourceSum(uint plane, uint entry) {
  return sums(plane * uint(ENTRIES) + entry);
}

uint desiredSum(uint plane, uint entry) {
#if DESIRED_IS_TABLE
  uvec4 halves = desired(ivec2(int(entry & 255u), int(plane * uint(ENTRIES / 256) + (entry >> 8))));
  return halves.r | (halves.g << 16);
#else
  return desired(plane * uint(ENTRIES) + entry);
#endif
}

// Numbers of 64 bits: the high word first.
uvec2 product(uint a, uint b) {
  uvec2 result;
  umulExtended(a, b, result.x, result.y);
  return result;
}

uvec2 difference(uvec2 a, uvec2 b) {
  uint borrow;
  uint low = usubBorrow(a.y, b.y, borrow);
  return uvec2(a.x - b.x - borrow, low);
}

bool isLess(uvec2 a, uvec2 b) {
  return a.x < b.x || (a.x == b.x && a.y < b.y);
}

// The first desired entry whose sum times `factor` is not below `bound`, which the last one's is not.
uint firstEntry(uint plane, uint factor, uvec2 bound) {
  uint entry = 0u;
  for (uint step = uint(ENTRIES / 2); step > 0u; step >>= 1) {
    if (isLess(product(desiredSum(plane, entry + step - 1u), factor), bound)) entry += step;
  }
  return entry;
}

// The first desired entry whose sum is `sum`. Not firstEntry with the factor 1, on which llvmpipe's compiler stops the
// process (Mesa 22.3, "Cannot emit physreg copy instruction"; ImageHistogramSpecificationDeviceTests).
uint entryWithSum(uint plane, uint sum) {
  uint entry = 0u;
  for (uint step = uint(ENTRIES / 2); step > 0u; step >>= 1) {
    if (desiredSum(plane, entry + step - 1u) < sum) entry += step;
  }
  return entry;
}

uint entryFor(uint plane, uint sum, uint total, uint desiredTotal) {
  uvec2 wanted = product(sum, desiredTotal);
  // At least one, so that the entry counts.
  uint above = firstEntry(plane, total, sum == 0u ? uvec2(0u, 1u) : wanted);
  uint before = above == 0u ? 0u : desiredSum(plane, above - 1u);
  if (before == 0u) return above;
  uvec2 toLower = difference(wanted, product(before, total));
  uvec2 toUpper = difference(product(desiredSum(plane, above), total), wanted);
  return isLess(toUpper, toLower) ? above : entryWithSum(plane, before);
}

uvec4 pointKernel(uvec4 pixel) {
  beginBins();
  ivec2 position = pixelPosition();
  uint entry = uint(position.x + 256 * position.y);
  uvec4 outputs = uvec4(0u);
  uvec4 stays = uvec4(1u);
  for (uint plane = 0u; plane < uint(PLANES); ++plane) {
    uint total = sourceSum(plane, uint(ENTRIES) - 1u);
    uint desiredTotal = desiredSum(plane, uint(ENTRIES) - 1u);
    bool isEmpty = total == 0u || desiredTotal == 0u;
    stays[plane] = isEmpty ? 1u : 0u;
    if (isEmpty) {
      outputs[plane] = entry;
    } else if (entry < uint(ENTRIES)) {
      outputs[plane] = valueOf(entryFor(plane, sourceSum(plane, entry), total, desiredTotal), plane);
    }
  }
  if (entry == uint(ENTRIES)) return stays;
  return entry < uint(ENTRIES) ? outputs : uvec4(0u);
}
