// image_sampling: a pixel of a picture that is turned upright and then scaled. Twin: ScaledPicture.
//
// in   uprightPixel  the pixel at a place of the upright picture, of samples of BITS; FROM n', TO m', and LAST the last
//                    column and row
// law  a side of n pixels is scaled to m; n' and m' are n and m without their common divisor. Pixel i of m has its
//      center at (2i + 1) n' / 2m' in pixels of n:
//      FILTER 0  n = m: pixel i
//      FILTER 1  nearest: pixel floor((2i + 1) n' / 2m')
//      FILTER 2  linear: between p = floor(a / 2m') and p + 1, a = max((2i + 1) n' - m', 0), neither beyond the last;
//                weight of the second W (a mod 2m') / 2m' of W = 256, or 65536 for 16 bits, halves to even; the sum of
//                four products is rounded once
//      FILTER 3  area: pixel i covers [i n', i n' + n') and pixel k of n covers [k m', k m' + m'); the weights are what
//                is common to both, with sum n'. Rows first, then the rows' means; each mean is rounded to 16 bits,
//                halves upward, and at the end to BITS
//      IS_WEIGHTED  colors are averaged times alpha, and divided by the mean's alpha in the end
#define GREATEST ((1u << BITS) - 1u)
#define SPARE_BITS (16 - BITS)

#if FILTER == 0
uvec4 scaledPixel(uvec2 place) {
  return uprightPixel(place);
}
#elif FILTER == 1
uvec4 scaledPixel(uvec2 place) {
  return uprightPixel((2u * place + 1u) * FROM / (2u * TO));
}
#else
// A pixel as means are taken of it: with IS_WEIGHTED, colors times alpha.
uvec4 summand(uvec2 place) {
  uvec4 pixel = uprightPixel(place);
#if IS_WEIGHTED && FILTER == 2 && BITS == 8
  return uvec4(pixel.rgb * pixel.a, pixel.a);
#elif IS_WEIGHTED
  pixel.a <<= SPARE_BITS;
  return uvec4((pixel.rgb * pixel.a + GREATEST / 2u) / GREATEST, pixel.a);
#elif FILTER == 3
  return pixel << SPARE_BITS;
#else
  return pixel;
#endif
}

// The pixel of a mean of 16 bits.
uvec4 averaged(uvec4 mean) {
#if IS_WEIGHTED
  if (mean.a == 0u) return uvec4(0u);
  mean.rgb = min((mean.rgb * GREATEST + mean.a / 2u) / mean.a, uvec3(GREATEST));
  mean.a = (mean.a + (1u << SPARE_BITS) / 2u) >> SPARE_BITS;
  return mean;
#else
  return (mean + (1u << SPARE_BITS) / 2u) >> SPARE_BITS;
#endif
}
#endif

#if FILTER == 2
uvec4 scaledPixel(uvec2 place) {
  uvec2 position = max((2u * place + 1u) * FROM, TO) - TO;
  uvec2 low = position / (2u * TO);
  uvec2 high = min(low + 1u, LAST);
  uvec2 rest = 256u * (position - low * 2u * TO);
  uvec2 second = rest / (2u * TO);
  rest -= second * 2u * TO;
#if BITS == 16
  // The next digit.
  uvec2 digit = 256u * rest / (2u * TO);
  rest = 256u * rest - digit * 2u * TO;
  second = 256u * second + digit;
#endif
  second += uvec2(greaterThan(rest + (second & 1u), TO));
  uvec2 first = (BITS == 8 ? 256u : 65536u) - second;
  uvec4 upper = first.x * summand(low) + second.x * summand(uvec2(high.x, low.y));
  uvec4 lower = first.x * summand(uvec2(low.x, high.y)) + second.x * summand(high);
#if BITS == 16
  // Halves apart; the lower sum carries over.
  uvec4 halves = first.y * (upper & 65535u) + second.y * (lower & 65535u);
  return averaged((first.y * (upper >> 16) + second.y * (lower >> 16) + (halves >> 16) + 32768u) >> 16);
#elif IS_WEIGHTED
  uvec4 sum = first.y * upper + second.y * lower;
  if (sum.a == 0u) return uvec4(0u);
  return uvec4((sum.rgb + sum.a / 2u) / sum.a, (sum.a + 32768u) >> 16);
#else
  return (first.y * upper + second.y * lower + 32768u) >> 16;
#endif
}
#elif FILTER == 3
uvec4 scaledPixel(uvec2 place) {
  uvec2 begin = place * FROM;
  uvec2 end = begin + FROM;
  uvec4 sum = uvec4(0u);
  for (uint y = begin.y / TO.y; y * TO.y < end.y; ++y) {
    uvec4 row = uvec4(0u);
    for (uint x = begin.x / TO.x; x * TO.x < end.x; ++x) {
      uint weight = min((x + 1u) * TO.x, end.x) - max(x * TO.x, begin.x);
      row += weight * summand(uvec2(x, y));
    }
    uint weight = min((y + 1u) * TO.y, end.y) - max(y * TO.y, begin.y);
    sum += weight * ((row + FROM.x / 2u) / FROM.x);
  }
  return averaged((sum + FROM.y / 2u) / FROM.y);
}
#endif
