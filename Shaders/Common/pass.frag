// pass: the render form of the same passes, drawn on the full-screen strip.
//
// A driver may round or truncate a float that is written to a normalized target (ES 3.1 section 2.3.4.2): v + 1/4
// becomes v either way.
#if SAFELIGHT_OUTPUT_IS_NORMALIZED
layout(location = 0) out vec4 safelight_color;
#else
layout(location = 0) out uvec4 safelight_color;
#endif

// The draw discards pixels outside the area. A driver may still run the body for such a pixel, as SwiftShader does, so
// the body then gets the nearest position inside.
#if SAFELIGHT_REGIONS > 0
ivec2 safelight_place() {
  return ivec2(gl_FragCoord.xy) + SAFELIGHT_FIRST(0) - SAFELIGHT_AREA(ivec2(0)).xy;
}

ivec2 pixelPosition() {
  return clamp(safelight_place(), ivec2(0), SAFELIGHT_AREA(ivec2(0)).zw - 1) + SAFELIGHT_AREA(ivec2(0)).xy;
}
#else
ivec2 pixelPosition() {
  return ivec2(gl_FragCoord.xy);
}
#endif

void main() {
#if SAFELIGHT_REGIONS > 0
  if (!safelight_isInside(safelight_place(), SAFELIGHT_AREA(ivec2(0)).zw)) discard;
#endif
  uvec4 safelight_result = pointKernel(SAFELIGHT_PIXEL);
#ifdef SAFELIGHT_LARGEST
  safelight_result = min(safelight_result, SAFELIGHT_LARGEST);
#endif
#if SAFELIGHT_OUTPUT_IS_NORMALIZED
  safelight_color = (vec4(safelight_result) + 0.25) / float(MAXIMUM);
#else
  safelight_color = safelight_result;
#endif
}
