#define SAMPLE_BITS 8
#include "Common/pixels.glsl"
#include "Common/compute.glsl"
layout(binding = 0) uniform sampler2D source;
layout(binding = 1, rgba8ui) writeonly uniform uimage2D destination;

#pragma kernel passthrough
void main() {
  if (isOutsideGrid()) return;
  ivec2 position = ivec2(gl_GlobalInvocationID.xy);
  imageStore(destination, position, fetchPixel(source, position));
}
