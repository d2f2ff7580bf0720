// The greatest sample of a picture, and the picture as bright as that sample allows.

#if IS_MEASURED
uint greatest;

void begin() {
  greatest = 0u;
}

void take(uvec4 pixel) {
  greatest = max(greatest, max(pixel.r, max(pixel.g, pixel.b)));
}

void give() {
  raiseNumber(0u, greatest);
}
#else
uvec4 pointKernel(uvec4 pixel) {
  uint most = brightest(0u);
  if (most == 0u) return pixel;
  return uvec4((pixel.rgb * MAXIMUM + most / 2u) / most, pixel.a);
}
#endif
