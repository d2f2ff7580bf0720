// histogram_extrema: the least and the greatest sample of each channel, or of a luma alone; of floats their keys. Twin:
// ImageNormalizedHistogram.
//
// out  numbers  four of the least, four of the greatest; of a channel in which nothing is a number the least is greater
// law  with COUNTS_VISIBLE the colors of pixels of alpha 0 are left out
#include "Histogram/histogram_samples.glsl"

uvec4 least;
uvec4 greatest;

void begin() {
  least = uvec4(0xFFFFFFFFu);
  greatest = uvec4(0u);
}

void take(uvec4 pixel) {
  uvec4 samples = countedSamples(pixel);
  uvec4 low = samples;
#if IS_FLOAT
  low = mix(low, uvec4(0xFFFFFFFFu), equal(samples, uvec4(0u)));
#endif
#if COUNTS_VISIBLE
  if (samples.a <= SAFELIGHT_TRANSPARENT) {
    low.rgb = uvec3(0xFFFFFFFFu);
    samples.rgb = uvec3(0u);
  }
#endif
  least = min(least, low);
  greatest = max(greatest, samples);
}

void give() {
  for (uint channel = 0u; channel < uint(CHANNELS); ++channel) {
    lowerNumber(channel, least[channel]);
    raiseNumber(4u + channel, greatest[channel]);
  }
}
