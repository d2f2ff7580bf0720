// blur: a sum with weights, first down the columns of the picture, then along the rows of those sums.
//
// in  weights  bytes 2: the radius, then the weights from that of the middle on, four to a vector
//
// Nothing is rounded in between: a sum of samples with weights of HALF bits (8 or 16) has up to 2 * HALF bits. Along a
// row its halves are summed apart, and the lower one carries over; so no sum needs more than 32 bits.
layout(std140, binding = 2) uniform Weights {
  uvec4 weights[252];
};

uint word(int index) {
  return weights[index >> 2][index & 3];
}

#if IS_ROW
uvec4 pointKernel(uvec4 pixel) {
  uvec4 upper = (pixel >> HALF) * word(1);
  uvec4 lower = (pixel & MASK) * word(1);
  int radius = int(word(0));
  for (int far = 1; far <= radius; far += 1) {
    uvec4 before = sums(-far, 0);
    uvec4 behind = sums(far, 0);
    upper += ((before >> HALF) + (behind >> HALF)) * word(1 + far);
    lower += ((before & MASK) + (behind & MASK)) * word(1 + far);
  }
  uvec4 result = (upper + (lower >> HALF) + (1u << (HALF - 1))) >> HALF;
#if IS_OPAQUE
  result.a = MAXIMUM;
#endif
  return result;
}
#else
uvec4 pointKernel(uvec4 pixel) {
  uvec4 sum = pixel * word(1);
  int radius = int(word(0));
  for (int far = 1; far <= radius; far += 1) {
    sum += (source(0, -far) + source(0, far)) * word(1 + far);
  }
  return sum;
}
#endif
