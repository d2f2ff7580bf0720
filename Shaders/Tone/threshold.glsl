// threshold: compares the pixel's gray with a threshold, strictly; alpha stays. Twin: ImageThreshold, whose card has
// the formula.
#define BINARY 0
#define BINARY_INVERSE 1
#define TRUNCATE 2
#define TO_ZERO 3

#include "Color/gray_mix.glsl"

layout(std140, binding = 2) uniform Parameters {
  uvec4 levels;   // threshold, high
  uvec4 weights;  // red, green, blue in 1/65536
};

uint compared(uint value) {
  bool isAbove = value > levels.x;
#if VARIANT == BINARY
  return isAbove ? levels.y : 0u;
#elif VARIANT == BINARY_INVERSE
  return isAbove ? 0u : levels.y;
#elif VARIANT == TRUNCATE
  return isAbove ? levels.x : value;
#elif VARIANT == TO_ZERO
  return isAbove ? value : 0u;
#else
  return isAbove ? 0u : value;
#endif
}

uvec4 pointKernel(uvec4 pixel) {
#if HAS_COLORS
  return uvec4(uvec3(compared(weightedLuma(weights.rgb, pixel))), pixel.a);
#else
  return uvec4(compared(pixel.r), pixel.gba);
#endif
}
