// box: a mean of the pixels in a square, by sums that slide down the columns, then along the rows of those sums. Twin:
// ImageBox.
//
// in  sizes  bytes 2: the radius
//
// The sum of a square can have 36 bits: it is kept in two parts, of which the lower one has 8 bits less.
layout(std140, binding = 2) uniform Sizes {
  ivec4 sizes;
};

#if STEP == 0
void run(ivec2 first, int count) {
  ivec2 radius = ivec2(0, sizes.x);
  uvec4 sum = uvec4(0u);
  for (int y = -radius.y; y < radius.y; y += 1) sum += source(first + ivec2(0, y));
  for (int y = 0; y < count; y += 1) {
    ivec2 position = first + ivec2(0, y);
    sum += source(position + radius);
    store(position, sum);
    sum -= source(position - radius);
  }
}
#elif STEP == 1
void run(ivec2 first, int count) {
  ivec2 radius = ivec2(sizes.x, 0);
  uint area = uint(2 * radius.x + 1) * uint(2 * radius.x + 1);
  uvec4 upper = uvec4(0u), lower = uvec4(0u);
  for (int x = -radius.x; x < radius.x; x += 1) {
    uvec4 sum = sums(first + ivec2(x, 0));
    upper += sum >> 8;
    lower += sum & 255u;
  }
  for (int x = 0; x < count; x += 1) {
    ivec2 position = first + ivec2(x, 0);
    uvec4 come = sums(position + radius);
    upper += come >> 8;
    lower += come & 255u;
    // 256 * high + lower, divided by the area.
    uvec4 high = upper + (lower >> 8);
    uvec4 result = high / area * 256u + (high % area * 256u + (lower & 255u) + area / 2u) / area;
#if IS_OPAQUE
    result.a = MAXIMUM;
#endif
    store(position, result);
    uvec4 gone = sums(position - radius);
    upper -= gone >> 8;
    lower -= gone & 255u;
  }
}
#else
uvec4 pointKernel(uvec4 pixel) {
  return pixel;
}
#endif
