// passthrough: every sample as it is. Twin: ImagePassthrough.
uvec4 pointKernel(uvec4 pixel) {
  return pixel;
}
