// color_matrix: red, green and blue mixed by three rows; alpha stays. Twin: ImageColorMatrix, whose card has the
// formula.
//
// Coefficients are in 1/65536, and the sum of |c| in a row is at most 3 * 2^20 + 4. Samples of 16 bits would overflow
// in one product, so v = 256 * h + l, and
//
//   floor((256 * H + L + 32768) / 65536) = (H + ((L + 32768) >> 8)) >> 8,  H = sum of c * h, L = sum of c * l
//
// exactly, since shifts of ints floor (GLSL ES 3.10 section 5.9). |H| and |L| are at most (3 * 2^20 + 4) * 255, and
// with |L| / 256 + 129 still below 2^30. bias is a whole number of samples, at most 16 * 65535.
layout(std140, binding = 2) uniform Parameters {
  ivec4 redRow;  // coefficients of red, green and blue; bias
  ivec4 greenRow;
  ivec4 blueRow;
};

uint mixedSample(ivec4 row, ivec3 high, ivec3 low) {
  int h = row.r * high.r + row.g * high.g + row.b * high.b;
  int l = row.r * low.r + row.g * low.g + row.b * low.b;
  return uint(clamp(((h + ((l + 32768) >> 8)) >> 8) + row.a, 0, int(MAXIMUM)));
}

uvec4 pointKernel(uvec4 pixel) {
  ivec3 high = ivec3(pixel.rgb >> 8);
  ivec3 low = ivec3(pixel.rgb & 255u);
  return uvec4(
    mixedSample(redRow, high, low), mixedSample(greenRow, high, low), mixedSample(blueRow, high, low), pixel.a);
}
