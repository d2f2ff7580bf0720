// unpremultiply: colors by alpha. Twin: ImageUnpremultiply, whose card has the formula; below 2^32 in 16 bits too.
uvec4 pointKernel(uvec4 pixel) {
  if (pixel.a == 0u) return uvec4(0u);
  return uvec4(min((pixel.rgb * MAXIMUM + pixel.a / 2u) / pixel.a, uvec3(MAXIMUM)), pixel.a);
}
