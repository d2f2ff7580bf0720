// mixture: a filter's result and its picture, mixed. Twin: MixtureFunction. No sum exceeds 32 bits.
//
// in  share  the result's part in 65536ths, of which a mask takes its own
layout(std140, binding = 2) uniform Mixture {
  uint share;
};

uvec4 pointKernel(uvec4 made) {
#if IS_MASKED
  // In 65535ths, so that the greatest sample of a mask leaves nothing of the picture.
  uint own = (mask(0, 0).r * (65535u / MAXIMUM) * share + 32768u) >> 16;
  return (made * own + picture(0, 0) * (65535u - own) + 32767u) / 65535u;
#else
  return (made * share + picture(0, 0) * (65536u - share) + 32768u) >> 16;
#endif
}
