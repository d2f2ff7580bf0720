#define SAMPLE_BITS 8
#include "Common/pixels.glsl"
#include "Common/compute.glsl"
layout(std140, binding = 0) uniform Uniforms { float saturationFactor; };
layout(binding = 0) uniform sampler2D source;
layout(binding = 1, rgba8ui) writeonly uniform uimage2D destination;

// In integers, where the original mixes floats, and alpha with 1 as well.
#pragma kernel adjust_saturation
void main() {
  if (isOutsideGrid()) return;
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  uvec4 pixel = fetchPixel(source, position);
  int grey = int(luma601(pixel));
  int factor = int(saturationFactor * 4096.0 + 0.5);
  ivec3 sums = grey * 4096 + (ivec3(pixel.rgb) - grey) * factor + 2048;
  imageStore(destination, position, uvec4(uvec3(clamp(sums >> 12, 0, 255)), pixel.a));
}
