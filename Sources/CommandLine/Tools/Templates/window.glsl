// Pixels less their surroundings: edges become sharper.
//
// Samples are integers from 0 to MAXIMUM (255 or 65535). neighbor(x, y) is the pixel x columns to the right and y
// rows below; beyond the edge of the picture lie the pixels at the edge.

#define RADIUS 1

layout(std140, binding = 2) uniform Settings {
  float amount;  // 0 to 4, default 1: how sharp
};

uvec4 pointKernel(uvec4 pixel) {
  uvec4 around = neighbor(-1, 0) + neighbor(1, 0) + neighbor(0, -1) + neighbor(0, 1);
  // The only float: from here on all is counted in 256ths of a quarter.
  int strength = int(amount * 256.0 + 0.5);
  ivec4 made = ivec4(pixel) + (((ivec4(4u * pixel) - ivec4(around)) * strength + 512) >> 10);
  return uvec4(clamp(made.rgb, 0, int(MAXIMUM)), pixel.a);
}
