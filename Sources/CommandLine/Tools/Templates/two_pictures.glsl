// The frame and a second picture, mixed in 256ths.

layout(std140, binding = 2) uniform Settings {
  uint part;
};

uvec4 pointKernel(uvec4 pixel) {
  uvec4 made = (pixel * (256u - part) + second(0, 0) * part + 128u) >> 8;
  return uvec4(made.rgb, pixel.a);
}
