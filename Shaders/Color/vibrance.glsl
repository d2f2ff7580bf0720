// vibrance: saturation that spares strong colors; alpha stays. Twin: ImageVibrance, whose card has the formula.
//
// |amount| is in 1/4096 and at most 4096: the dividend stays below 2^29, gain from 0 to 8192.
#include "Color/gray_mix.glsl"

layout(std140, binding = 2) uniform Parameters {
  ivec4 weights;  // red, green, blue in 1/65536; amount in 1/4096
};

uvec4 pointKernel(uvec4 pixel) {
  uint most = max(max(pixel.r, pixel.g), pixel.b);
  uint least = min(min(pixel.r, pixel.g), pixel.b);
  uint rest = MAXIMUM - (most - least);
  int change = int((uint(abs(weights.w)) * rest + MAXIMUM / 2u) / MAXIMUM);
  int gain = 4096 + (weights.w < 0 ? -change : change);
  return mixWithGray(pixel, weightedLuma(uvec3(weights.rgb), pixel), gain);
}
