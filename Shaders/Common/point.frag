// point: the render form of the same kernels, drawn on the full-screen strip.
//
// A driver may round or truncate a float that is written to a normalised target (ES 3.1 section 2.3.4.2): v + 1/4
// becomes v either way.
#if SAMPLE_BITS == 8
layout(location = 0) out vec4 color;
#else
layout(location = 0) out uvec4 color;
#endif

void main() {
  uvec4 result = pointKernel(fetchPixel(source, ivec2(gl_FragCoord.xy)));
#if SAMPLE_BITS == 8
  color = (vec4(result) + 0.25) / 255.0;
#else
  color = result;
#endif
}
