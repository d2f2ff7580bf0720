// paint: a color, or another picture, over pixels of a picture. Twin: PaintFunction; the cards of rectangle and line
// have the rules.
//
// in  color    bytes 2: red, green, blue and alpha; the column and row of the first pixel that is made
//     corner
// in  spans    with HAS_SPANS: of each row 16 lines, each where it enters the shape and where it leaves it, in 256ths
//              of a column, as two halves
// in  picture  with HAS_PICTURE: what lies over the pixels in place of the color
layout(std140, binding = 2) uniform Paint {
  uvec4 color;
  ivec4 corner;
};

#include "Compositing/over.glsl"

#if HAS_SPANS
// The part of the pixel that the shape covers, in 4096ths.
uint coverage() {
  ivec2 place = pixelPosition() - corner.xy;
  uint left = 256u * uint(place.x);
  uint covered = 0u;
  for (int line = 16 * place.y; line < 16 * place.y + 16; ++line) {
    uvec4 span = spans(ivec2(line % SPAN_COLUMNS, line / SPAN_COLUMNS));
    uint first = max(span.r | span.g << 16, left);
    uint end = min(span.b | span.a << 16, left + 256u);
    if (end > first) covered += end - first;
  }
  return covered;
}
#endif

uvec4 pointKernel(uvec4 pixel) {
#if HAS_PICTURE
  uvec4 front = picture(pixelPosition() - corner.xy);
#else
  uvec4 front = color;
#endif
#if HAS_SPANS
  front.a = (front.a * coverage() + 2048u) >> 12;
#endif
#if IS_GRAY
  pixel = uvec4(pixel.rrr, MAXIMUM);
#endif
  return over(front, pixel);
}
