// color_cube: looks colors up in a cube, between its entries in the tetrahedron that holds them. Twin: CubeLookUp;
// the page Tone has the formula.
//
// in   cube       entries of 16 bits, 2048 wide: (r, g, b) is number r + size * (g + size * b)
//      positions  with HAS_DOMAIN: positions of samples, 0 to SCALE, laid out as a look-up table
// law  The weights' sum is SCALE <= 65535 and DIVISOR = SCALE * 65535 / MAXIMUM; the sum is below 65535^2 + 32768 <
//      2^32, and 65280 * 65535 + 2^23 < 2^32 if SCALE is 65280. p < 65536 * 128. Alpha stays.
#if SAMPLE_BITS == 16
#define SCALE 65535u
#define DIVISOR 65535u
#elif HAS_DOMAIN
#define SCALE 65280u
#define DIVISOR 16776960u
#else
#define SCALE 255u
#define DIVISOR 65535u
#endif

#if HAS_DOMAIN
uvec4 positionsOf(uint value) {
  return positions(ivec2(int(value & 255u), int(value >> 8)));
}
#endif

layout(std140, binding = 2) uniform Parameters {
  uvec4 shape;  // entries along an axis
};

uvec3 entry(uvec3 corner) {
  // Behind the last entry the weight is 0.
  corner = min(corner, uvec3(shape.x - 1u));
  uint number = corner.r + shape.x * (corner.g + shape.x * corner.b);
  return cube(ivec2(int(number & 2047u), int(number >> 11))).rgb;
}

uvec4 pointKernel(uvec4 pixel) {
#if HAS_DOMAIN
  uvec3 place = uvec3(positionsOf(pixel.r).r, positionsOf(pixel.g).g, positionsOf(pixel.b).b) * (shape.x - 1u);
#else
  uvec3 place = pixel.rgb * (shape.x - 1u);
#endif
  uvec3 cell = place / SCALE;
  uvec3 part = place - cell * SCALE;
  bool redGreen = part.r >= part.g;
  bool redBlue = part.r >= part.b;
  bool greenBlue = part.g >= part.b;
  uvec3 firstAxis = redGreen && redBlue ? uvec3(1u, 0u, 0u) : greenBlue ? uvec3(0u, 1u, 0u) : uvec3(0u, 0u, 1u);
  uvec3 lastAxis = redBlue && greenBlue ? uvec3(0u, 0u, 1u) : redGreen ? uvec3(0u, 1u, 0u) : uvec3(1u, 0u, 0u);
  uint most = max(part.r, max(part.g, part.b));
  uint least = min(part.r, min(part.g, part.b));
  uint middle = part.r + part.g + part.b - most - least;
  uvec3 sum = (SCALE - most) * entry(cell) + (most - middle) * entry(cell + firstAxis)
      + (middle - least) * entry(cell + 1u - lastAxis) + least * entry(cell + 1u);
  return uvec4((sum + DIVISOR / 2u) / DIVISOR, pixel.a);
}
