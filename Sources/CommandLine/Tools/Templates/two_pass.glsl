// The mean of a square: sums down the columns, then sums of those along the rows, divided.

layout(std140, binding = 2) uniform Settings {
  uint radius;
};

#if IS_ROW
uvec4 pointKernel(uvec4 pixel) {
  uvec4 sum = uvec4(0u);
  for (int x = -int(radius); x <= int(radius); ++x) sum += sums(x, 0);
  uint area = (2u * radius + 1u) * (2u * radius + 1u);
  return (sum + area / 2u) / area;
}
#else
uvec4 pointKernel(uvec4 pixel) {
  uvec4 sum = uvec4(0u);
  for (int y = -int(radius); y <= int(radius); ++y) sum += source(0, y);
  return sum;
}
#endif
