// crossfade: the frame and a second picture, mixed. Twin: CrossfadeFunction; the formulas are on ImageCrossfade's card.
// Sums have 30 bits: the whole is at most 10000.
//
// in  part, whole  the second picture's share is part / whole
#define MULDIV_BITS SAMPLE_BITS
#include "Common/muldiv.glsl"

layout(std140, binding = 2) uniform Crossfade {
  uint part;
  uint whole;
};

#if IS_WEIGHTED
// The mean of f and s by the parts of total that belong to them, rest and own.
uint weighted(uint f, uint s, uint rest, uint own, uint total) {
  uvec2 distance = muldiv(max(f, s) - min(f, s), s > f ? own : rest, total);
  return min(f, s) + distance.x + (distance.y >= total - distance.y ? 1u : 0u);
}

uvec4 pointKernel(uvec4 f) {
  uvec4 s = second(0, 0);
  uint rest = f.a * (whole - part);
  uint own = s.a * part;
  uint total = rest + own;
  if (total == 0u) return f;
  return uvec4(
    weighted(f.r, s.r, rest, own, total), weighted(f.g, s.g, rest, own, total),
    weighted(f.b, s.b, rest, own, total), (total + whole / 2u) / whole);
}
#else
uvec4 pointKernel(uvec4 f) {
  return (f * (whole - part) + second(0, 0) * part + whole / 2u) / whole;
}
#endif
