// pixelate: the mean of each cell, or for each pixel the mean of its cell. Twin: PixelateFunction; ImageRedact's card
// has the rule.
//
// in  cells  bytes 2: the column and row of the first cell, and those behind the last; the columns and rows of a cell
//     edge
layout(std140, binding = 2) uniform Cells {
  ivec4 cells;
  ivec4 edge;
};

#if MAKES_MEANS
// A cell has at most 128 by 128 pixels: sums stay below 2^32, and rounds below 65535, where llvmpipe leaves loops.
uvec4 pointKernel(uvec4 pixel) {
  ivec2 first = cells.xy + pixelPosition() * edge.x;
  ivec2 end = min(first + edge.x, cells.zw);
  uvec4 sum = uvec4(0u);
  for (int y = first.y; y < end.y; ++y) {
    for (int x = first.x; x < end.x; ++x) sum += source(ivec2(x, y));
  }
  uint count = uint((end.x - first.x) * (end.y - first.y));
  return (sum + count / 2u) / count;
}
#else
uvec4 pointKernel(uvec4 pixel) {
  return means((pixelPosition() - cells.xy) / edge.x);
}
#endif
