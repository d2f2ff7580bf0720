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
  ivec2 safelight_first = ivec2(gl_GlobalInvocationID.xy) * BLOCK;
  ivec2 safelight_end = min(safelight_first + BLOCK, textureSize(source, 0));
  uvec4 safelight_value = uvec4(0u);
  uint safelight_visible = 0u;
  for (int safelight_y = safelight_first.y; safelight_y < safelight_end.y; ++safelight_y) {
    for (int safelight_x = safelight_first.x; safelight_x < safelight_end.x; ++safelight_x) {
      uvec4 safelight_pixel = fetchPixel(source, ivec2(safelight_x, safelight_y));
#if COUNTS_VISIBLE
      uvec4 safelight_before = safelight_value;
      safelight_value = reduced(safelight_before, safelight_pixel);
      if (safelight_pixel.a == 0u) {
        safelight_value.rgb = safelight_before.rgb;
      } else {
        safelight_visible += 1u;
      }
#else
      safelight_value = reduced(safelight_value, safelight_pixel);
#endif
    }
  }
  uint safelight_block = gl_GlobalInvocationID.y * safelight_threadsPerGrid.x + gl_GlobalInvocationID.x;
  uint safelight_word = safelight_bufferOffsets[1] + safelight_block * uint(CHANNELS + COUNTS_VISIBLE);
  for (int safelight_channel = 0; safelight_channel < CHANNELS; ++safelight_channel) {
    safelight_words[safelight_word + uint(safelight_channel)] = safelight_value[safelight_channel];
  }
#if COUNTS_VISIBLE
  safelight_words[safelight_word + uint(CHANNELS)] = safelight_visible;
#endif
}
