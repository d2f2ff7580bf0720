// resample: a sum of pixels along a row or down a column, by weights of 22 bits. Twin: ResampleFunction.
//
// in  stride   bytes 2: the entries of a span
//     weights  for each place of the axis a span: the first pixel and the number of pixels, then the weights, two
//              numbers of 32 bits an entry
//
// A sample of 8 bits times such weights fits 32 bits. Of 16 bits (IS_DEEP) the upper and the lower byte are summed
// apart, and the lower sum carries over.
layout(std140, binding = 2) uniform Resampling {
  int stride;
};

// The first and the second number of an entry.
ivec2 numbers(int entry) {
  uvec4 halves = weights(ivec2(entry & 2047, entry >> 11));
  return ivec2(halves.rb | halves.ga << 16);
}

uvec4 pointKernel(uvec4 pixel) {
  ivec2 place = pixelPosition();
#if IS_ROW
  int begin = place.x * stride;
#else
  int begin = place.y * stride;
#endif
  ivec2 span = numbers(begin);
  ivec4 upper = ivec4(0);
  ivec4 lower = ivec4(1 << 21);
  for (int tap = 0; tap < span.y; tap += 1) {
    int weight = numbers(begin + 1 + (tap >> 1))[tap & 1];
#if IS_ROW
    ivec4 samples = ivec4(source(ivec2(span.x + tap, place.y)));
#else
    ivec4 samples = ivec4(source(ivec2(place.x, span.x + tap)));
#endif
#if IS_DEEP
    upper += (samples >> 8) * weight;
    lower += (samples & 255) * weight;
  }
  uvec4 made = uvec4(clamp((upper + (lower >> 8)) >> 14, 0, 65535));
#else
    lower += samples * weight;
  }
  uvec4 made = uvec4(clamp(lower >> 22, 0, 255));
#endif
  return made;
}
