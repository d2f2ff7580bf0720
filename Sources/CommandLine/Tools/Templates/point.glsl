// Leans colors towards warm light.
//
// Samples are integers from 0 to MAXIMUM (255 or 65535). Arithmetic in integers gives the same bytes on every
// driver as long as nothing overflows 32 bits; arithmetic in floats may differ in the last bit.

layout(std140, binding = 2) uniform Settings {
  float amount;  // 0 to 1, default 0.3: how warm
};

uvec4 pointKernel(uvec4 pixel) {
  // The only float: from here on all is counted in 256ths.
  uint warmth = uint(amount * 64.0 + 0.5);
  uint red = min((pixel.r * (256u + warmth) + 128u) >> 8, MAXIMUM);
  uint blue = (pixel.b * (256u - warmth) + 128u) >> 8;
  return uvec4(red, pixel.g, blue, pixel.a);
}
