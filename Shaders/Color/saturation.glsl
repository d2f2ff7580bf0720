// saturation: mixes each colour sample with the pixel's luma; alpha stays. Twin: ImageSaturation.
//
//   gray = (w.r * r + w.g * g + w.b * b + 32768) >> 16,  w.r + w.g + w.b = 65536
//   out  = clamp((gray * 4096 + (v - gray) * amount + 2048) >> 12, 0, MAXIMUM)
//
// amount is in 1/4096 and at most 4 * 4096: |v - gray| * amount < 2^30, so nothing overflows. Negative sums are raised
// to 0 before the shift.
layout(binding = 0) uniform SOURCE_TEXTURE source;

layout(std140, binding = 2) uniform Parameters {
  uvec4 weights;  // red, green, blue in 1/65536; amount in 1/4096
};

uint saturateSample(uint value, uint gray) {
  int mixed = int(gray) * 4096 + (int(value) - int(gray)) * int(weights.w) + 2048;
  return min(uint(max(mixed, 0)) >> 12, MAXIMUM);
}

uvec4 pointKernel(uvec4 pixel) {
  uint gray = (weights.r * pixel.r + weights.g * pixel.g + weights.b * pixel.b + 32768u) >> 16;
  return uvec4(saturateSample(pixel.r, gray), saturateSample(pixel.g, gray), saturateSample(pixel.b, gray), pixel.a);
}
