// passthrough: every sample as it is. Twin: ImagePassthrough.
layout(binding = 0) uniform SOURCE_TEXTURE source;

uvec4 pointKernel(uvec4 pixel) {
  return pixel;
}
