// saturation: mixes each color sample with the pixel's luma; alpha stays. Twin: ImageSaturation, whose card has the
// formula.
#include "Color/gray_mix.glsl"

layout(std140, binding = 2) uniform Parameters {
  uvec4 weights;  // red, green, blue in 1/65536; amount in 1/4096
};

uvec4 pointKernel(uvec4 pixel) {
  return mixWithGray(pixel, weightedLuma(weights.rgb, pixel), int(weights.w));
}
