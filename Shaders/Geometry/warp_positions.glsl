// warp_positions: where a pixel of a warped picture comes from, in whole numbers of 64 bits, two words each, the lower
// first. Twin: WarpMap.
//
// law  MAP 0  the column and the row grow by the same from each pixel to the next, in 2^-40 pixels
//      MAP 1  both are divided by a third number; where it is not above 0, a pixel comes from nowhere
//      MAP 2  Brown's model of a lens, in parts of a radius: WarpLens
//      MAP 3  samples of 16 bits times a number, and another added
uvec2 sum(uvec2 one, uvec2 other) {
  uint carry;
  uint lower = uaddCarry(one.x, other.x, carry);
  return uvec2(lower, one.y + other.y + carry);
}

uvec2 difference(uvec2 one, uvec2 other) {
  return sum(sum(one, ~other), uvec2(1u, 0u));
}

uvec2 multiple(uvec2 number, uint factor) {
  uint upper;
  uint lower;
  umulExtended(number.x, factor, upper, lower);
  return uvec2(lower, upper + number.y * factor);
}

// 2^-40 pixels, rounded: to pixels with TAPS 1.
int rounded(uvec2 number) {
#if TAPS == 1
  return int(sum(number, uvec2(0u, 128u)).y) >> 8;
#else
  return int(number.y + (number.x >> 31));
#endif
}

// Number `index` of those that grow by the same from each pixel to the next.
uvec2 plane(int index, ivec2 at) {
  uvec4 steps = numbers[2 * index];
  uvec2 across = multiple(steps.xy, uint(at.x));
  return sum(sum(numbers[2 * index + 1].xy, across), multiple(steps.zw, uint(at.y)));
}

#if MAP == 0
ivec2 positionOf(ivec2 at) {
  return ivec2(rounded(plane(0, at)), rounded(plane(1, at)));
}
#elif MAP == 1
#include "Geometry/warp_projective.glsl"
#elif MAP == 2
#include "Geometry/warp_lens.glsl"
#else
ivec2 positionOf(ivec2 at) {
  uvec4 samples = coordinates(at);
  uvec2 across = sum(multiple(numbers[0].xy, samples.r), numbers[2].xy);
  uvec2 down = sum(multiple(numbers[0].zw, samples.g), numbers[2].zw);
  return ivec2(rounded(across), rounded(down));
}
#endif
