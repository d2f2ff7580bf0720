// histogram_source: the bindings that all forms of the histogram share.
//
// in   source  texture 0
// in   Area    rectangle to count (x, y, width, height), the first word of the histogram in its buffer, and the least
//              samples, or keys of floats, that are counted
// out  words   buffer 1, PLANES * ENTRIES counts, planar, added to
//
// With COUNTS_VISIBLE the colors of pixels of alpha 0 are not counted; their alpha is.
#if IS_FLOAT
#include "Histogram/keys.glsl"
#include "Histogram/edges.glsl"
#else
#include "Histogram/bins.glsl"
#if COUNTS_LUMA
#include "Histogram/luma.glsl"
#endif
#endif

layout(binding = 0) uniform SOURCE_TEXTURE source;

layout(std140, binding = 2) uniform Area {
  ivec4 area;
  uvec4 placement;  // first word, rows a threadgroup takes
  uvec4 threshold;
};

layout(std430, binding = 1) buffer Histogram {
  uint words[];
};

// The samples that are looked at: each channel, or a luma alone.
uvec4 countedSamples(ivec2 position) {
#if IS_FLOAT
  return fetchKeys(source, position);
#else
  uvec4 pixel = fetchPixel(source, position);
#if COUNTS_LUMA
  pixel.r = countedLuma(pixel);
#endif
  return pixel;
#endif
}

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
