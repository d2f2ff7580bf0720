// reduction: each block of BLOCK columns and rows becomes one value a channel, and the CPU joins those of the blocks.
//
// in   source  texture 0
// out  safelight_words  buffer 1, CHANNELS words for each block, row by row; with COUNTS_VISIBLE another, the number of
//                       pixels of alpha above 0, and of others alpha alone is reduced
// grid one thread for each block
//
// The body defines `uvec4 reduced(uvec4 value, uvec4 pixel)`, which begins with zeros.
#include "Common/grid.glsl"

layout(binding = 0) uniform SOURCE_TEXTURE source;

layout(std430, binding = 1) buffer safelight_Values {
  uint safelight_words[];
};

void main() {
  if (safelight_isOutsideGrid()) return;
  ivec2 first = ivec2(gl_GlobalInvocationID.xy) * BLOCK;
  ivec2 end = min(first + BLOCK, textureSize(source, 0));
  uvec4 value = uvec4(0u);
  uint visible = 0u;
  for (int y = first.y; y < end.y; ++y) {
    for (int x = first.x; x < end.x; ++x) {
      uvec4 pixel = fetchPixel(source, ivec2(x, y));
#if COUNTS_VISIBLE
      uvec4 before = value;
      value = reduced(before, pixel);
      if (pixel.a == 0u) {
        value.rgb = before.rgb;
      } else {
        visible += 1u;
      }
#else
      value = reduced(value, pixel);
#endif
    }
  }
  uint block = gl_GlobalInvocationID.y * safelight_threadsPerGrid.x + gl_GlobalInvocationID.x;
  uint word = safelight_bufferOffsets[1] + block * uint(CHANNELS + COUNTS_VISIBLE);
  for (int channel = 0; channel < CHANNELS; ++channel) safelight_words[word + uint(channel)] = value[channel];
#if COUNTS_VISIBLE
  safelight_words[word + uint(CHANNELS)] = visible;
#endif
}
