// histogram_range: the range of integers over which entries run. Twin: ImageNormalizedHistogram.
//
// in   Extrema  buffer 0, as histogram_extrema leaves it
// in   Limits   the range of the histogram's info in sample values
// out  minmax   texture 1: the least samples at (0, 0), the greatest at (1, 0); 0 where there are none
// out  Range    buffer 2: max(least, low), min(greatest, high), which is at least one more
// grid one thread
#include "Common/compute.glsl"
#include "Common/pixels.glsl"

layout(std430, binding = 0) readonly buffer Extrema {
  uvec4 complements;
  uvec4 greatest;
};
layout(binding = 1, SAFELIGHT_STORAGE_FORMAT) writeonly uniform uimage2D minmax;
layout(std430, binding = 2) writeonly buffer Range {
  uvec4 low;
  uvec4 high;
};
layout(std140, binding = 3) uniform Limits {
  uvec4 lowest;
  uvec4 highest;
};

void main() {
  bvec4 isEmpty = equal(complements, uvec4(0u));
  uvec4 least = mix(~complements, uvec4(0u), isEmpty);
  imageStore(minmax, ivec2(0, 0), least);
  imageStore(minmax, ivec2(1, 0), greatest);
  uvec4 from = max(least, lowest);
  low = from;
  high = max(min(greatest, highest), from + 1u);
}
