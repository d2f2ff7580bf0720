// histogram_extrema: the least and the greatest sample of each channel. Twin: ImageNormalizedHistogram.
//
// in   source  texture 0
// in   Area    rectangle to look at (x, y, width, height), rows a threadgroup takes
// out  words buffer 1, zero before: complements of the least samples (keys of floats), then the greatest. Complements,
//              so that both are maxima; a channel in which nothing is a number leaves zeros.
// grid one threadgroup for each THREADGROUP_WIDTH columns and placement.y rows
// law  with COUNTS_VISIBLE the colors of pixels of alpha 0 are left out
//      maxima in any order: equal to the twin on every driver
#include "Common/compute.glsl"
#if IS_FLOAT
#include "Histogram/keys.glsl"
#elif COUNTS_LUMA
#include "Histogram/luma.glsl"
#endif

layout(binding = 0) uniform SOURCE_TEXTURE source;

layout(std140, binding = 2) uniform Area {
  ivec4 area;
  uvec4 placement;
};

layout(std430, binding = 1) buffer Extrema {
  uint words[];
};

void main() {
  int x = area.x + int(gl_GlobalInvocationID.x);
  int top = area.y + int(gl_WorkGroupID.y * placement.y);
  int bottom = min(top + int(placement.y), area.y + area.w);
  if (x >= area.x + area.z) return;
  uvec4 least = uvec4(0u);
  uvec4 greatest = uvec4(0u);
  for (int y = top; y < bottom; ++y) {
#if IS_FLOAT
    uvec4 samples = fetchKeys(source, ivec2(x, y));
    uvec4 complements = mix(~samples, uvec4(0u), equal(samples, uvec4(0u)));
#else
    uvec4 samples = fetchPixel(source, ivec2(x, y));
#if COUNTS_LUMA
    samples.r = countedLuma(samples);
#endif
    uvec4 complements = ~samples;
#endif
#if COUNTS_VISIBLE
    if (samples.a <= SAFELIGHT_TRANSPARENT) {
      complements.rgb = uvec3(0u);
      samples.rgb = uvec3(0u);
    }
#endif
    least = max(least, complements);
    greatest = max(greatest, samples);
  }
  for (uint channel = 0u; channel < uint(CHANNELS); ++channel) {
    atomicMax(words[channel], least[channel]);
    atomicMax(words[4u + channel], greatest[channel]);
  }
}
