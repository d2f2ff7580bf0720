// warp: pixels from positions in the source, where no pixel need be. Twin: WarpFunction; WarpMap has the positions.
//
// in  bytes 2      the columns and rows of the source; the color; the numbers of the map
//     weights      for TAPS 4 and 6: for each 256th of a pixel the weights of so many in 1024ths, four to an entry
//     coordinates  for MAP 3: the position of each pixel
//
// A position counts 256ths of pixels from the middle of the first; with TAPS 1 it counts pixels. EDGE 0 has the color
// beyond the edges, 1 the pixels there, 2 the picture mirrored.
layout(std140, binding = 2) uniform Warp {
  ivec4 size;
  uvec4 color;
  uvec4 numbers[6];
};

const ivec2 NOWHERE = ivec2(-2147483647 - 1);

#include "Geometry/warp_positions.glsl"

#if EDGE == 2
// The column or row that is seen at a place, of `count`.
int placeSeen(int at, int count) {
  int period = max(2 * count - 2, 1);
  // GLSL ES leaves remainders of negative numbers undefined.
  int rest = at < 0 ? period - 1 - (-1 - at) % period : at % period;
  return min(rest, period - rest);
}
#endif

uvec4 seen(ivec2 at) {
  ivec2 inside = clamp(at, ivec2(0), size.xy - 1);
#if EDGE == 0
  if (inside != at) return color;
#elif EDGE == 2
  if (inside != at) inside = ivec2(placeSeen(at.x, size.x), placeSeen(at.y, size.y));
#endif
  return source(inside);
}

#if TAPS == 1
uvec4 pixelAt(ivec2 position) {
  return seen(position);
}
#elif TAPS == 2
uvec4 pixelAt(ivec2 position) {
  ivec2 first = position >> 8;
  uvec2 second = uvec2(position & 255);
  uvec2 rest = 256u - second;
  uvec4 left = seen(first) * rest.y + seen(first + ivec2(0, 1)) * second.y;
  uvec4 right = seen(first + ivec2(1, 0)) * rest.y + seen(first + 1) * second.y;
  return (left * rest.x + right * second.x + 32768u) >> 16;
}
#else
// The numbers of an entry, which have signs.
ivec4 signedWeights(int entry) {
  return ivec4(weights(ivec2(entry, 0)) << 16) >> 16;
}

// A sum of 8 bits fits 32 bits. Of 16 bits (IS_DEEP) the upper and the lower byte are summed apart.
uvec4 pixelAt(ivec2 position) {
  ivec2 first = (position >> 8) - (TAPS / 2 - 1);
  ivec2 parts = position & 255;
  const int entries = (TAPS + 3) / 4;
  ivec4 upper = ivec4(0);
  ivec4 lower = ivec4(1 << 19);
  for (int row = 0; row < TAPS; row += 1) {
    int rowWeight = signedWeights(entries * parts.y + (row >> 2))[row & 3];
    ivec4 high = ivec4(0);
    ivec4 low = ivec4(0);
    for (int column = 0; column < TAPS; column += 1) {
      int weight = signedWeights(entries * parts.x + (column >> 2))[column & 3];
      ivec4 samples = ivec4(seen(first + ivec2(column, row)));
#if IS_DEEP
      high += (samples >> 8) * weight;
      low += (samples & 255) * weight;
#else
      low += samples * weight;
#endif
    }
    upper += high * rowWeight;
    lower += low * rowWeight;
  }
#if IS_DEEP
  // The sum is upper * 256 + lower, in 2^-20.
  ivec4 sum = (upper >> 12) + ((((upper & 4095) << 8) + lower) >> 20);
  return uvec4(clamp(sum, 0, 65535));
#else
  return uvec4(clamp(lower >> 20, 0, 255));
#endif
}
#endif

uvec4 pointKernel(uvec4 pixel) {
  ivec2 position = positionOf(pixelPosition());
  if (position == NOWHERE) return color;
  return pixelAt(position);
}
