// threshold: compares the pixel's grey with a threshold, strictly; alpha stays. Twin: ImageThreshold, whose card has the formula.
#define BINARY 0u
#define BINARY_INVERSE 1u
#define TRUNCATE 2u
#define TO_ZERO 3u

#include "Color/gray_mix.glsl"

layout(binding = 0) uniform SOURCE_TEXTURE source;

layout(std140, binding = 2) uniform Parameters {
  uvec4 levels;   // threshold, high, operation
  uvec4 weights;  // red, green, blue in 1/65536
};

uint compared(uint value) {
  bool isAbove = value > levels.x;
  if (levels.z == BINARY) return isAbove ? levels.y : 0u;
  if (levels.z == BINARY_INVERSE) return isAbove ? 0u : levels.y;
  if (levels.z == TRUNCATE) return isAbove ? levels.x : value;
  if (levels.z == TO_ZERO) return isAbove ? value : 0u;
  return isAbove ? 0u : value;
}

uvec4 pointKernel(uvec4 pixel) {
#if HAS_COLORS
  return uvec4(uvec3(compared(weightedLuma(weights.rgb, pixel))), pixel.a);
#else
  return uvec4(compared(pixel.r), pixel.gba);
#endif
}
