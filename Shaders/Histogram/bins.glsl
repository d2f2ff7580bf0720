// bins: the histogram entry of a sample, and the value of an entry. Twin: HistogramBins. The page Histograms has the
// formulas.
//
// (v - low) * ENTRIES is at most 65535 * 65536 < 2^32. The value is never half-way, as ENTRIES - 1 is odd, and i *
// (high - low) + (ENTRIES - 2) / 2 is at most 65535^2 + 32767 < 2^32.
#if BINS_ARE_VALUES
uint binOf(uint value, uint plane) {
  return value;
}

uint valueOf(uint entry, uint plane) {
  return entry;
}
#else
layout(std140, binding = 3) uniform Range {
  uvec4 low;
  uvec4 high;
};

uint binOf(uint value, uint plane) {
  if (value <= low[plane]) return 0u;
  return min((min(value, high[plane]) - low[plane]) * uint(ENTRIES) / (high[plane] - low[plane]), uint(ENTRIES) - 1u);
}

uint valueOf(uint entry, uint plane) {
  return low[plane] + (entry * (high[plane] - low[plane]) + uint(ENTRIES - 2) / 2u) / (uint(ENTRIES) - 1u);
}
#endif
