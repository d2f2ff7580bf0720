// image_sampling: a pixel of a picture that is turned upright and then scaled. Twin: ScaledPicture.
//
// in   uprightPixel  the pixel at a place of the upright picture; FROM n', TO m', and LAST the last column and row
// law  a side of n pixels is scaled to m; n' and m' are n and m without their common divisor. Pixel i of m has its
//      center at (2i + 1) n' / 2m' in pixels of n:
//      FILTER 0  n = m: pixel i
//      FILTER 1  nearest: pixel floor((2i + 1) n' / 2m')
//      FILTER 2  linear: between p = floor(a / 2m') and p + 1, a = max((2i + 1) n' - m', 0), neither beyond the last;
//                weight of the second w = floor((256 (a mod 2m') + m') / 2m'); the four products of weights add up to
//                65536: (sum + 32768) >> 16
//      FILTER 3  area: pixel i covers [i n', i n' + n') and pixel k of n covers [k m', k m' + m'); the weights are what
//                is common to both, with sum n'. Rows first, then the rows' means; each mean is rounded to 16 bits,
//                halves upward, and at the end to SAMPLE_BITS
#if FILTER == 0
uvec4 scaledPixel(uvec2 place) {
  return uprightPixel(place);
}
#elif FILTER == 1
uvec4 scaledPixel(uvec2 place) {
  return uprightPixel((2u * place + 1u) * FROM / (2u * TO));
}
#elif FILTER == 2
uvec4 scaledPixel(uvec2 place) {
  uvec2 position = max((2u * place + 1u) * FROM, TO) - TO;
  uvec2 low = position / (2u * TO);
  uvec2 high = min(low + 1u, LAST);
  uvec2 second = (256u * (position - low * 2u * TO) + TO) / (2u * TO);
  uvec2 first = 256u - second;
  uvec4 upper = first.x * uprightPixel(low) + second.x * uprightPixel(uvec2(high.x, low.y));
  uvec4 lower = first.x * uprightPixel(uvec2(low.x, high.y)) + second.x * uprightPixel(high);
  return (first.y * upper + second.y * lower + 32768u) >> 16;
}
#else
uvec4 scaledPixel(uvec2 place) {
  const int SPARE_BITS = 16 - SAMPLE_BITS;
  uvec2 begin = place * FROM;
  uvec2 end = begin + FROM;
  uvec4 sum = uvec4(0u);
  for (uint y = begin.y / TO.y; y * TO.y < end.y; ++y) {
    uvec4 row = uvec4(0u);
    for (uint x = begin.x / TO.x; x * TO.x < end.x; ++x) {
      uint weight = min((x + 1u) * TO.x, end.x) - max(x * TO.x, begin.x);
      row += weight * (uprightPixel(uvec2(x, y)) << SPARE_BITS);
    }
    uint weight = min((y + 1u) * TO.y, end.y) - max(y * TO.y, begin.y);
    sum += weight * ((row + FROM.x / 2u) / FROM.x);
  }
  return ((sum + FROM.y / 2u) / FROM.y + (1u << SPARE_BITS) / 2u) >> SPARE_BITS;
}
#endif
