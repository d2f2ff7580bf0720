// histogram_private: each of 8 lanes counts for itself, without atomics or barriers; for software renderers.
//
// A renderer on the CPU runs atomics one lane at a time behind a bus lock, and barriers as coroutines. Here no two
// lanes share a word, which holds on every implementation, so the choice of this form is one of speed only.
//
// grid one threadgroup of 8 for each placement.y rows; a lane sees at most 65535 pixels
// law  two 16-bit counts share a word: PLANES * 256 * 8 lanes * 2 bytes is at most the 16 KiB that every device has
#include "Common/compute.glsl"
#include "Histogram/histogram_source.glsl"

shared uint counts[PLANES * ENTRIES / 2 * 8];

void main() {
  uint lane = gl_LocalInvocationIndex;
  for (uint i = 0u; i < uint(PLANES * ENTRIES / 2); ++i) counts[i * 8u + lane] = 0u;
  int top = area.y + int(gl_WorkGroupID.y * placement.y);
  int bottom = min(top + int(placement.y), area.y + area.w);
  int right = area.x + area.z;
  for (int y = top; y < bottom; ++y) {
    for (int x = area.x + int(lane); x < right; x += 8) {
      uvec4 samples = countedSamples(ivec2(x, y));
      for (uint plane = 0u; plane < uint(PLANES); ++plane) {
        if (isCounted(samples[plane], plane)) {
          uint bin = binOf(samples[plane], plane);
          counts[(plane * uint(ENTRIES / 2) + (bin >> 1)) * 8u + lane] += 1u << ((bin & 1u) << 4);
        }
      }
    }
  }
  for (uint i = 0u; i < uint(PLANES * ENTRIES / 2); ++i) {
    uint pair = counts[i * 8u + lane];
    if ((pair & 0xFFFFu) != 0u) atomicAdd(words[placement.x + i * 2u], pair & 0xFFFFu);
    if ((pair >> 16) != 0u) atomicAdd(words[placement.x + i * 2u + 1u], pair >> 16);
  }
}
