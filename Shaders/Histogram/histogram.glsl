// histogram: PLANES * ENTRIES counts, planar, of the samples of each channel, or of a luma alone. Twin:
// HistogramFunction.
//
// With COUNTS_VISIBLE the colors of pixels of alpha 0 are not counted; their alpha is.
#include "Histogram/histogram_samples.glsl"
#if IS_FLOAT
#include "Histogram/edges.glsl"
#else
#include "Histogram/bins.glsl"
#endif

#define COUNTS uint(PLANES * ENTRIES)

bool isCounted(uvec4 samples, uint plane) {
#if COUNTS_VISIBLE
  if (plane < 3u && samples.a <= SAFELIGHT_TRANSPARENT) return false;
#endif
#if HAS_THRESHOLD
  return samples[plane] >= threshold[plane];
#else
  return true;
#endif
}

#if COUNTS_PRIVATELY
// Each lane counts for itself, without atomics or barriers. A renderer on the CPU runs atomics one lane at a time
// behind a bus lock, barriers as coroutines, and what lanes share in loops of loads and stores; arrays of a lane's own
// are read and written without.
uint counts[PLANES * ENTRIES];

void begin() {
  beginBins();
  for (uint i = 0u; i < COUNTS; ++i) counts[i] = 0u;
}

void take(uvec4 pixel) {
  uvec4 samples = countedSamples(pixel);
  for (uint plane = 0u; plane < uint(PLANES); ++plane) {
    if (isCounted(samples, plane)) ++counts[plane * uint(ENTRIES) + binOf(samples[plane], plane)];
  }
}

void give() {
  for (uint i = 0u; i < COUNTS; ++i) {
    if (counts[i] != 0u) addNumber(i, counts[i]);
  }
}
#elif COUNTS_TOGETHER
// A threadgroup counts in its memory, of which the counts must not take more than 16 KiB; for GPUs.
shared uint counts[PLANES * ENTRIES];

void begin() {
  beginBins();
  for (uint i = gl_LocalInvocationIndex; i < COUNTS; i += 64u) counts[i] = 0u;
  memoryBarrierShared();
  barrier();
}

void take(uvec4 pixel) {
  uvec4 samples = countedSamples(pixel);
  for (uint plane = 0u; plane < uint(PLANES); ++plane) {
    if (isCounted(samples, plane)) atomicAdd(counts[plane * uint(ENTRIES) + binOf(samples[plane], plane)], 1u);
  }
}

void give() {
  memoryBarrierShared();
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < COUNTS; i += 64u) {
    if (counts[i] != 0u) addNumber(i, counts[i]);
  }
}
#else
// Straight into the result, for any number of entries. A run of equal samples becomes one atomic: flat areas would
// otherwise queue at one address.
uvec4 lastBin = uvec4(0u);
uvec4 run = uvec4(0u);

void addRun(uint plane) {
  if (run[plane] != 0u) addNumber(plane * uint(ENTRIES) + lastBin[plane], run[plane]);
}

void begin() {
  beginBins();
}

void take(uvec4 pixel) {
  uvec4 samples = countedSamples(pixel);
  for (uint plane = 0u; plane < uint(PLANES); ++plane) {
    if (isCounted(samples, plane)) {
      uint bin = binOf(samples[plane], plane);
      if (bin != lastBin[plane]) {
        addRun(plane);
        lastBin[plane] = bin;
        run[plane] = 0u;
      }
      run[plane] += 1u;
    }
  }
}

void give() {
  for (uint plane = 0u; plane < uint(PLANES); ++plane) addRun(plane);
}
#endif
