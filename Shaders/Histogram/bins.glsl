// bins: which histogram entry a sample belongs to. Twin: HistogramBins.
//
//   bin(v) = clamp((v - low) * ENTRIES / (high - low), 0, ENTRIES - 1)
//
// vImage's documented rule with minimum and maximum rounded to sample values: values below go into the first entry,
// above into the last. (v - low) * ENTRIES is at most 65535 * 65536 < 2^32. With one entry a value the rule is the
// value itself. The value of an entry is the other way round, ends on ends:
//
//   value(i) = low + nearest(i * (high - low) / (ENTRIES - 1))
//
// never half-way, as ENTRIES - 1 is odd; i * (high - low) + (ENTRIES - 2) / 2 is at most 65535^2 + 32767 < 2^32.
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
