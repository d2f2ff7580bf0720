#pragma vertex vertex_main
void main() {
  gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0, 0.0, 1.0);
}

// A chroma sample serves the four pixels that it was made of. In integers, so that every device gives the same bytes.
#pragma fragment fragment_main
layout(binding = 0) uniform sampler2D luma;
layout(binding = 1) uniform sampler2D chroma;
// 1/65536 of red difference in red; of blue and red difference in green; of blue difference in blue.
layout(std140, binding = 2) uniform Matrix { ivec4 coefficients; };
layout(location = 0) out vec4 color;
void main() {
  ivec2 position = ivec2(gl_FragCoord.xy);
  int y = int(texelFetch(luma, position, 0).r * 255.0 + 0.5);
  ivec2 difference = ivec2(texelFetch(chroma, position / 2, 0).rg * 255.0 + 0.5) - 128;
  ivec3 sums = coefficients.xyw * difference.grr + ivec3(0, coefficients.z * difference.g, 0);
  ivec3 rgb = clamp((65536 * y + sums + 32768) >> 16, 0, 255);
  // Drivers may round or truncate: a quarter more leaves the same byte.
  color = vec4((vec3(rgb) + 0.25) / 255.0, 1.0);
}
