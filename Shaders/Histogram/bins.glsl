// bins: the histogram entry of a sample, and the value of an entry. Twin: HistogramBins. The page Histograms has the
// formulas.
//
// in   Bins     bytes 2, if BINS is not 0 or HAS_THRESHOLD: the range, and the least samples that are counted
// in   extrema  if BINS is 2: the numbers of histogram_extrema, to whose range that of the block is narrowed
//
// (v - low) * ENTRIES is at most 65535 * 65536 < 2^32. The value is never half-way, as ENTRIES - 1 is odd, and i *
// (high - low) + (ENTRIES - 2) / 2 is at most 65535^2 + 32767 < 2^32.
#if BINS != 0 || HAS_THRESHOLD
layout(std140, binding = 2) uniform Bins {
  uvec4 lowest;
  uvec4 highest;
  uvec4 threshold;
};
#endif

#if BINS == 0
void beginBins() {}

uint binOf(uint value, uint plane) {
  return value;
}

uint valueOf(uint entry, uint plane) {
  return entry;
}
#else
#if BINS == 2
uvec4 low;
uvec4 high;

// Of a channel without samples the least is 2^32 - 1.
void beginBins() {
  uvec4 least = uvec4(extrema(0u), extrema(1u), extrema(2u), extrema(3u));
  uvec4 greatest = uvec4(extrema(4u), extrema(5u), extrema(6u), extrema(7u));
  low = max(mix(least, uvec4(0u), greaterThan(least, greatest)), lowest);
  high = max(min(greatest, highest), low + 1u);
}
#else
#define low lowest
#define high highest

void beginBins() {}
#endif

uint binOf(uint value, uint plane) {
  if (value <= low[plane]) return 0u;
  return min((min(value, high[plane]) - low[plane]) * uint(ENTRIES) / (high[plane] - low[plane]), uint(ENTRIES) - 1u);
}

uint valueOf(uint entry, uint plane) {
  return low[plane] + (entry * (high[plane] - low[plane]) + uint(ENTRIES - 2) / 2u) / (uint(ENTRIES) - 1u);
}
#endif
