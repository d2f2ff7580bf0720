// point: the render form of the same kernels, drawn on the full-screen strip.
//
// A driver may round or truncate a float that is written to a normalized target (ES 3.1 section 2.3.4.2): v + 1/4
// becomes v either way.
#if SAFELIGHT_IS_NORMALIZED
layout(location = 0) out vec4 safelight_color;
#else
layout(location = 0) out uvec4 safelight_color;
#endif

ivec2 pixelPosition() {
  return ivec2(gl_FragCoord.xy);
}

void main() {
  uvec4 safelight_result = pointKernel(fetchPixel(source, pixelPosition()));
#if SAFELIGHT_IS_NORMALIZED
  safelight_color = (vec4(safelight_result) + 0.25) / float(MAXIMUM);
#else
  safelight_color = safelight_result;
#endif
}
