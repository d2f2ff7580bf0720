// bins: which histogram entry a sample belongs to. Twin: HistogramBins.
//
//   bin(v) = clamp((v - low) * ENTRIES / (high - low), 0, ENTRIES - 1)
//
// vImage's documented rule with minimum and maximum rounded to sample values: values below go into the first entry,
// above into the last. (v - low) * ENTRIES is at most 65535 * 65536 < 2^32. With one entry a value the rule is the
// value itself.
#if BINS_ARE_VALUES
uint binOf(uint value, uint plane) {
  return value;
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
#endif
