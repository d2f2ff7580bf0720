// clahe_apply: a sample by the tables of the four tiles around it. Twin: ImageContrastLimitedEqualization.
//
// in   table    texture 2, see clahe_tables
// in   weights  texture 3; texel (x, 0) is for column x: the bits of the weights of the second and of the first tile,
//               high and low 16 bits; texel (x, 1) holds both tiles' columns; texels (y, 2) and (y, 3) are for row y
// in   grid     bytes 4: columns of the grid of tiles
// law  out = nearest(fl(fl(fl(fl(t00 * xb) + fl(t10 * xa)) * yb) + fl(fl(fl(t01 * xb) + fl(t11 * xa)) * ya)))
//      as OpenCV rounds, halves to even; with luma Y of BT.601: d = out(Y) - Y, red, green, blue = clamp(v + d)
#include "Common/single.glsl"
#include "Equalization/clahe_tables.glsl"

layout(binding = 0) uniform SOURCE_TEXTURE source;
layout(binding = 2) uniform usampler2D table;
layout(binding = 3) uniform usampler2D weights;
layout(std140, binding = 4) uniform Grid {
  uvec4 grid;
};

ivec2 pixelPosition();

struct Axis {
  Single weight0;
  Single weight1;
  uvec2 tiles;
};

Axis axisAt(int place, int row) {
  uvec4 bits = texelFetch(weights, ivec2(place, row), 0);
  uvec2 tiles = texelFetch(weights, ivec2(place, row + 1), 0).rg;
  return Axis(singleOfBits((bits.b << 16) | bits.a), singleOfBits((bits.r << 16) | bits.g), tiles);
}

Single mixed(Single a, Single b, Axis axis) {
  return addition(product(a, axis.weight0), product(b, axis.weight1));
}

Single entry(uint column, uint row, uint value, uint plane) {
  return Single(texelFetch(table, tablePosition(row * grid.x + column, value), 0)[plane], 0);
}

uint equalized(uint value, uint plane, Axis x, Axis y) {
  Single above = mixed(entry(x.tiles.r, y.tiles.r, value, plane), entry(x.tiles.g, y.tiles.r, value, plane), x);
  Single below = mixed(entry(x.tiles.r, y.tiles.g, value, plane), entry(x.tiles.g, y.tiles.g, value, plane), x);
  return min(nearest(mixed(above, below, y)), uint(MAXIMUM));
}

uvec4 pointKernel(uvec4 pixel) {
  ivec2 position = pixelPosition();
  Axis x = axisAt(position.x, 0);
  Axis y = axisAt(position.y, 2);
#if COUNTS_LUMA
  uint gray = luma601(pixel);
  int shift = int(equalized(gray, 0u, x, y)) - int(gray);
  return uvec4(clamp(ivec3(pixel.rgb) + shift, ivec3(0), ivec3(MAXIMUM)), pixel.a);
#else
  for (uint plane = 0u; plane < uint(PLANES); ++plane) pixel[plane] = equalized(pixel[plane], plane, x, y);
  return pixel;
#endif
}
