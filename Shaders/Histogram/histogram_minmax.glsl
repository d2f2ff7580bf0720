// histogram_minmax: the least samples at (0, 0) and the greatest at (1, 0) as a picture; 0 where there are none. Twin:
// ImageNormalizedHistogram.
//
// in   extrema  the numbers of histogram_extrema
uvec4 extremaFrom(uint word) {
  return uvec4(extrema(word), extrema(word + 1u), extrema(word + 2u), extrema(word + 3u));
}

uvec4 pointKernel(uvec4 pixel) {
  uvec4 least = extremaFrom(0u);
  uvec4 greatest = extremaFrom(4u);
#if IS_FLOAT
  uvec4 none = uvec4(0x80000000u);
#else
  uvec4 none = uvec4(0u);
#endif
  return mix(pixelPosition().x == 0 ? least : greatest, none, greaterThan(least, greatest));
}
