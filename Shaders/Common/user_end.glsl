// user_end: the kernel around the body of a user's, which may return more than there is.
#undef pointKernel

uvec4 pointKernel(uvec4 safelight_pixel) {
  return min(safelight_pointKernel(safelight_widened(safelight_pixel)), uvec4(MAXIMUM));
}
