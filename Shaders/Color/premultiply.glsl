// premultiply: colors times alpha. Twin: ImagePremultiply, whose card has the formula; below 2^32 in 16 bits too.
uvec4 pointKernel(uvec4 pixel) {
  return uvec4((pixel.rgb * pixel.a + MAXIMUM / 2u) / MAXIMUM, pixel.a);
}
