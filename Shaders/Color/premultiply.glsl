// premultiply: colors times alpha. Twin: ImagePremultiply.
//
//   out = floor((v * a + floor(MAXIMUM / 2)) / MAXIMUM),  below 2^32 in 16 bits too; alpha stays
layout(binding = 0) uniform SOURCE_TEXTURE source;

uvec4 pointKernel(uvec4 pixel) {
  return uvec4((pixel.rgb * pixel.a + MAXIMUM / 2u) / MAXIMUM, pixel.a);
}
