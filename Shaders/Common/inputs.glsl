// inputs: the pictures that a pass reads. A texture may hold a part of its picture; positions are those of whole
// pictures.
//
// in  safelight_regions  bytes 3, unless all of a picture is made of whole pictures: the pixels that are made, or of
//                        which numbers are made; then for the texture that is made, and for each input, the column and
//                        row of its first pixel, and the columns and rows of its picture
//
// safelight_read repeats the pixels at the edges of a picture beyond them, safelight_readInside gives zeros there.
ivec2 pixelPosition();

#if SAFELIGHT_REGIONS > 0
layout(std140, binding = 3) uniform safelight_Regions {
  ivec4 safelight_regions[SAFELIGHT_REGIONS];
};

#define SAFELIGHT_AREA(safelight_size) safelight_regions[0]
#define SAFELIGHT_FIRST(number) safelight_regions[(number) + 1].xy
#define SAFELIGHT_SIZE(safelight_texture, number) safelight_regions[(number) + 1].zw
#else
#define SAFELIGHT_AREA(safelight_size) ivec4(ivec2(0), safelight_size)
#define SAFELIGHT_FIRST(number) ivec2(0)
#define SAFELIGHT_SIZE(safelight_texture, number) textureSize(safelight_texture, 0)
#endif

uvec4 safelight_read(sampler2D source, int number, ivec2 position) {
  return fetchPixel(source, clamp(position, ivec2(0), SAFELIGHT_SIZE(source, number) - 1) - SAFELIGHT_FIRST(number));
}

uvec4 safelight_read(usampler2D source, int number, ivec2 position) {
  return fetchPixel(source, clamp(position, ivec2(0), SAFELIGHT_SIZE(source, number) - 1) - SAFELIGHT_FIRST(number));
}

bool safelight_isInside(ivec2 position, ivec2 size) {
  return all(greaterThanEqual(position, ivec2(0))) && all(lessThan(position, size));
}

uvec4 safelight_readInside(sampler2D source, int number, ivec2 position) {
  bool isInside = safelight_isInside(position, SAFELIGHT_SIZE(source, number));
  return isInside ? safelight_read(source, number, position) : uvec4(0u);
}

uvec4 safelight_readInside(usampler2D source, int number, ivec2 position) {
  bool isInside = safelight_isInside(position, SAFELIGHT_SIZE(source, number));
  return isInside ? safelight_read(source, number, position) : uvec4(0u);
}
