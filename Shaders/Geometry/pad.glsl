// pad: the picture with columns and rows around it. Twin: PadFunction; ImagePad's card has the rules.
//
// in  place  bytes 2: the columns to the left and the rows above; the columns and rows of the picture
//     color  of the added pixels with EDGE 0
#define CLAMPED 1
#define MIRRORED 2
#define WRAPPED 3

layout(std140, binding = 2) uniform Padding {
  ivec4 place;
  uvec4 color;
};

// The column or row of the picture that is seen at a place, of `count`.
int placeSeen(int at, int count) {
#if EDGE == CLAMPED || EDGE == 0
  return clamp(at, 0, count - 1);
#else
#if EDGE == MIRRORED
  int period = max(2 * count - 2, 1);
#else
  int period = count;
#endif
  // GLSL ES leaves remainders of negative numbers undefined.
  int rest = at < 0 ? period - 1 - (-1 - at) % period : at % period;
#if EDGE == MIRRORED
  rest = min(rest, period - rest);
#endif
  return rest;
#endif
}

uvec4 pointKernel(uvec4 pixel) {
  ivec2 at = pixelPosition() - place.xy;
  ivec2 seen = ivec2(placeSeen(at.x, place.z), placeSeen(at.y, place.w));
  uvec4 made = source(seen);
#if EDGE == 0
  if (seen != at) made = color;
#endif
  return made;
}
