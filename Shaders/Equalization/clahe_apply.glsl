// clahe_apply: a sample by the tables of the four tiles around it. Twin: ImageContrastLimitedEqualization.
//
// in   table                      see clahe_tables
// in   columnWeights, rowWeights  1024 columns or rows of the picture side by side; of each the bits of the weights of
//                                 the second and of the first tile, high and low 16 bits, and below the numbers of
//                                 both: columns of tiles, or the first tiles of rows
// law  out = nearest(fl(fl(fl(fl(t00 * xb) + fl(t10 * xa)) * yb) + fl(fl(fl(t01 * xb) + fl(t11 * xa)) * ya)))
//      as OpenCV rounds, halves to even; with luma Y of BT.601: d = out(Y) - Y, red, green, blue = clamp(v + d)
#include "Common/softfloat.glsl"
#include "Equalization/clahe_tables.glsl"

struct Axis {
  Single weight0;
  Single weight1;
  uvec2 tiles;
};

Axis axisOf(uvec4 bits, uvec4 tiles) {
  return Axis(singleOfBits((bits.b << 16) | bits.a), singleOfBits((bits.r << 16) | bits.g), tiles.rg);
}

ivec2 weightsOf(int place) {
  return ivec2(place & 1023, (place >> 10) * 2);
}

Single mixed(Single a, Single b, Axis axis) {
  return addition(product(a, axis.weight0), product(b, axis.weight1));
}

Single entry(uint column, uint row, uint value, uint plane) {
  return Single(table(tablePosition(row + column, value))[plane], 0);
}

uint equalized(uint value, uint plane, Axis x, Axis y) {
  Single above = mixed(entry(x.tiles.r, y.tiles.r, value, plane), entry(x.tiles.g, y.tiles.r, value, plane), x);
  Single below = mixed(entry(x.tiles.r, y.tiles.g, value, plane), entry(x.tiles.g, y.tiles.g, value, plane), x);
  return min(nearest(mixed(above, below, y)), uint(MAXIMUM));
}

uvec4 pointKernel(uvec4 pixel) {
  ivec2 column = weightsOf(pixelPosition().x);
  ivec2 row = weightsOf(pixelPosition().y);
  Axis x = axisOf(columnWeights(column), columnWeights(column + ivec2(0, 1)));
  Axis y = axisOf(rowWeights(row), rowWeights(row + ivec2(0, 1)));
#if COUNTS_LUMA
  uint gray = luma601(pixel);
  int shift = int(equalized(gray, 0u, x, y)) - int(gray);
  return uvec4(clamp(ivec3(pixel.rgb) + shift, ivec3(0), ivec3(MAXIMUM)), pixel.a);
#else
  for (uint plane = 0u; plane < uint(PLANES); ++plane) pixel[plane] = equalized(pixel[plane], plane, x, y);
  return pixel;
#endif
}
