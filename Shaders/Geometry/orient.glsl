// orient: takes each pixel from another place, a sum with signs of its column, its row and a constant.
//
// in  columns, rows  bytes 2: the signs of column and row, and the constant
layout(std140, binding = 2) uniform Places {
  ivec4 columns;
  ivec4 rows;
};

uvec4 pointKernel(uvec4 pixel) {
  ivec2 at = pixelPosition();
  int column = columns.x * at.x + columns.y * at.y + columns.z;
  int row = rows.x * at.x + rows.y * at.y + rows.z;
  uvec4 made = source(ivec2(column, row));
  return made;
}
