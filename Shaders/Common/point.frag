// point: the render form of the same kernels, drawn on the full-screen strip.
//
// A driver may round or truncate a float that is written to a normalized target (ES 3.1 section 2.3.4.2): v + 1/4
// becomes v either way.
#if IS_NORMALIZED
layout(location = 0) out vec4 color;
#else
layout(location = 0) out uvec4 color;
#endif

ivec2 pixelPosition() {
  return ivec2(gl_FragCoord.xy);
}

void main() {
  uvec4 result = pointKernel(fetchPixel(source, pixelPosition()));
#if IS_NORMALIZED
  color = (vec4(result) + 0.25) / float(MAXIMUM);
#else
  color = result;
#endif
}
