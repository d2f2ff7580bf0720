// equalization_rules: the look-up table's entry by the rule RULE. Twin: ImageHistogramEqualization.Rule; the page
// Equalization has the formulas. An empty plane stays, and so do those that OPENCV (one entry counts all) and PILLOW
// (step = 0) leave alone.
#define NORMALIZED_SUM 0
#define OPENCV 1
#define PILLOW 2
#define LIBVIPS 3
#define FFMPEG 4

#if RULE == OPENCV || RULE == LIBVIPS
#include "Common/softfloat.glsl"
#elif RULE == NORMALIZED_SUM || RULE == FFMPEG
#if RULE == FFMPEG
#define MULDIV_BITS 10
#else
#define MULDIV_BITS SAMPLE_BITS
#endif
#include "Common/muldiv.glsl"
#endif

struct Plane {
  uint stays;  // 0 or 1: zink of Mesa 22.3 takes no bool in a struct
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
  plane.stays = uint(total == 0u);
#if RULE == OPENCV
  plane.first = edge;
  plane.stays = uint(total == edge);
  if (plane.stays != 0u) return plane;
  Single others = single(0u, total - edge, 0);
  plane.scale = quotient(uint(MAXIMUM), others.mantissa);
  plane.scale.exponent -= others.exponent;
#elif RULE == PILLOW
  plane.step = (total - edge) / uint(MAXIMUM);
  plane.stays = uint(plane.step == 0u);
#elif RULE == LIBVIPS
  if (plane.stays != 0u) return plane;
  plane.scale = quotient(edge - 1u, total);
#endif
  return plane;
}

#if RULE == NORMALIZED_SUM
// round(MAXIMUM * count / total), halves upward, for count <= total < 2^32.
uint scaled(uint count, uint total) {
  uvec2 part = muldiv(MAXIMUM, count, total);
  return part.y >= total - part.y ? part.x + 1u : part.x;
}
#elif RULE == FFMPEG
// The level for a luma: below 0 where the strength is above 255, and then of two's complement.
uint levelOf(uint luma, uint share, uint strength) {
  uint spread = strength * share / 255u;
  return strength <= 255u ? spread + (255u - strength) * luma / 255u : spread - (strength - 255u) * luma / 255u;
}
#endif

// The output for an entry that holds `count` of the `sum` pixels up to it; `parts` are FFMPEG's strength and intensity.
uint outputOf(Plane plane, uint entry, uint count, uint sum, uvec2 parts) {
#if RULE == OPENCV
  return nearest(product(single(0u, max(sum, plane.first) - plane.first, 0), plane.scale));
#elif RULE == PILLOW
  // (step / 2 + C - h) / step, whose sum may need 33 bits.
  uint before = sum - count;
  uint carry = before % plane.step + plane.step / 2u >= plane.step ? 1u : 0u;
  return min(before / plane.step + carry, uint(MAXIMUM));
#elif RULE == LIBVIPS
  return truncated(product(single(0u, sum, 0), plane.scale));
#elif RULE == FFMPEG
  return levelOf(entry, muldiv(parts.y, sum, plane.total).x, parts.x);
#else
  return scaled(sum, plane.total);
#endif
}
