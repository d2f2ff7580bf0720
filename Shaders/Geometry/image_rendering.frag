// image_rendering: the render form, drawn on the full-screen strip; pixels outside the painted ones stay.
//
// As in point.frag, v + 1/4 becomes v whether a driver rounds or truncates (ES 3.1 section 2.3.4.2).
#if SAMPLE_BITS == 8
layout(location = 0) out vec4 color;
#else
layout(location = 0) out uvec4 color;
#endif

void main() {
  ivec2 place = ivec2(gl_FragCoord.xy) - target.xy;
  ivec2 inside = clamp(place, ivec2(0), target.zw - 1);
  if (inside != place) discard;
  // A driver may go on with a discarded pixel, as SwiftShader does; for one outside, the loops of a filter may not end.
  uvec4 result = renderedPixel(inside);
#if SAMPLE_BITS == 8
  color = (vec4(result) + 0.25) / 255.0;
#else
  color = result;
#endif
}
