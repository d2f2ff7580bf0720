// equalization_rules: the look-up table's entry by the rule RULE. Twin: ImageHistogramEqualization.Rule.
//
// h counts a plane, C is its inclusive sum, N the sum of all, fl() a rounding to single precision
//   NORMALIZED_SUM  floor((2 * MAXIMUM * C(i) + N) / (2 * N))
//   OPENCV          nearest(fl(fl(S) * fl(MAXIMUM / fl(N - h(f))))), f the first entry that counts, S = C(i) - h(f)
//   PILLOW          min(MAXIMUM, floor((step / 2 + C(i) - h(i)) / step)), step = (N - h(l)) / MAXIMUM, l the last that counts
//   LIBVIPS         floor(fl(fl(C(i)) * fl(top / N))), top = MAXIMUM, in 16 bits the last entry that counts in any plane
// An empty plane stays, and so do those that OPENCV (f counts all) and PILLOW (step = 0) leave alone.
#define NORMALIZED_SUM 0
#define OPENCV 1
#define PILLOW 2
#define LIBVIPS 3

#if RULE == OPENCV || RULE == LIBVIPS
#include "Common/single.glsl"
#endif

struct Plane {
  bool stays;
  uint total;
#if RULE == OPENCV
  uint first;  // h(f)
#endif
#if RULE == PILLOW
  uint step;
#endif
#if RULE == OPENCV || RULE == LIBVIPS
  Single scale;
#endif
};

// What a rule must know of the first or the last entry that counts; 0 where none does.
uvec4 edgeOf(uint entry, uvec4 counts) {
#if RULE == LIBVIPS
  return uvec4(greaterThan(counts, uvec4(0u))) * (entry + 1u);
#else
  return counts;
#endif
}

// The edge of two parts of a histogram.
uvec4 joinedEdges(uvec4 before, uvec4 after) {
#if RULE == OPENCV
  return mix(before, after, equal(before, uvec4(0u)));
#else
  return mix(after, before, equal(after, uvec4(0u)));
#endif
}

Plane planeOf(uint total, uint edge) {
  Plane plane;
  plane.total = total;
  plane.stays = total == 0u;
#if RULE == OPENCV
  plane.first = edge;
  plane.stays = total == edge;
  if (plane.stays) return plane;
  Single others = single(0u, total - edge, 0);
  plane.scale = quotient(uint(MAXIMUM), others.mantissa);
  plane.scale.exponent -= others.exponent;
#elif RULE == PILLOW
  plane.step = (total - edge) / uint(MAXIMUM);
  plane.stays = plane.step == 0u;
#elif RULE == LIBVIPS
  if (plane.stays) return plane;
  plane.scale = quotient(edge - 1u, total);
#endif
  return plane;
}

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

// The entry that holds `count` of the `sum` pixels up to it.
uint outputOf(Plane plane, uint count, uint sum) {
#if RULE == OPENCV
  return nearest(product(single(0u, max(sum, plane.first) - plane.first, 0), plane.scale));
#elif RULE == PILLOW
  // (step / 2 + C - h) / step, whose sum may need 33 bits.
  uint before = sum - count;
  uint carry = before % plane.step + plane.step / 2u >= plane.step ? 1u : 0u;
  return min(before / plane.step + carry, uint(MAXIMUM));
#elif RULE == LIBVIPS
  return truncated(product(single(0u, sum, 0), plane.scale));
#else
  return scaled(sum, plane.total);
#endif
}
