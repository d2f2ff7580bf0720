// mean: the sum of each channel, and the number of pixels whose colors count: with COUNTS_VISIBLE those of alpha above
// 0. A thread takes fewer than 65536 pixels, so that its sums fit into 32 bits. Twin: ImageMean.
uvec4 sums;
uint counted;

void begin() {
  sums = uvec4(0u);
  counted = 0u;
}

void take(uvec4 pixel) {
#if COUNTS_VISIBLE
  if (pixel.a == 0u) return;
#endif
  sums += pixel;
  counted += 1u;
}

void give() {
  for (uint channel = 0u; channel < uint(CHANNELS); ++channel) addWideNumber(2u * channel, sums[channel]);
  addWideNumber(uint(2 * CHANNELS), counted);
}
