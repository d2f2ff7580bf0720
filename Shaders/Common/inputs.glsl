// inputs: the pictures that a pass reads. A texture may hold a part of its picture; positions are those of whole
// pictures.
//
// in  safelight_regions  bytes 3, unless all of a picture is made of whole pictures: the pixels that are made, or of
//                        which numbers are made; then for the texture that is made, and for each input, the column and
//                        row of its first pixel, and the columns and rows of its picture
ivec2 pixelPosition();

#if SAFELIGHT_REGIONS > 0
layout(std140, binding = 3) uniform safelight_Regions {
  ivec4 safelight_regions[SAFELIGHT_REGIONS];
};

#define SAFELIGHT_AREA(safelight_size) safelight_regions[0]
#define SAFELIGHT_FIRST(number) safelight_regions[(number) + 1].xy
#define SAFELIGHT_SIZE(safelight_size, number) safelight_regions[(number) + 1].zw
#else
#define SAFELIGHT_AREA(safelight_size) ivec4(ivec2(0), safelight_size)
#define SAFELIGHT_FIRST(number) ivec2(0)
#define SAFELIGHT_SIZE(safelight_size, number) (safelight_size)
#endif

bool safelight_isInside(ivec2 position, ivec2 size) {
  return all(greaterThanEqual(position, ivec2(0))) && all(lessThan(position, size));
}
