// histogram_source: the bindings that all forms of the histogram share.
//
// in   source  texture 0
// in   Area    rectangle to count (x, y, width, height) and the first word of the histogram in its buffer
// out  words   buffer 1, PLANES * ENTRIES counts, planar, added to
#include "Histogram/bins.glsl"

layout(binding = 0) uniform SOURCE_TEXTURE source;

layout(std140, binding = 2) uniform Area {
  ivec4 area;
  uvec4 placement;  // first word, columns or rows a threadgroup takes
};

layout(std430, binding = 1) buffer Histogram {
  uint words[];
};

// The samples that are counted: each channel, or BT.601 luma alone.
uvec4 countedSamples(ivec2 position) {
  uvec4 pixel = fetchPixel(source, position);
#if COUNTS_LUMA
  pixel.r = luma601(pixel);
#endif
  return pixel;
}
