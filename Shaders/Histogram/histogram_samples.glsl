// histogram_samples: what is counted of a pixel: each channel, or the luma that COUNTS_LUMA names alone. Twin:
// CountedLuma.
//
//   1  of ITU-R BT.601
//   2  of ffmpeg's histeq
uint countedLuma(uvec4 pixel) {
#if COUNTS_LUMA == 2
  return (55u * pixel.r + 182u * pixel.g + 19u * pixel.b) >> 8;
#else
  return luma601(pixel);
#endif
}

uvec4 countedSamples(uvec4 pixel) {
#if COUNTS_LUMA
  pixel.r = countedLuma(pixel);
#endif
  return pixel;
}
