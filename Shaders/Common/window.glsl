// window: the pixels around the one that is made, RADIUS columns and rows to each side. Beyond the edge of the picture
// lie those at the edge.
//
// in  source  texture 0
layout(binding = 0) uniform SOURCE_TEXTURE source;

ivec2 pixelPosition();

uvec4 neighbor(int x, int y) {
  return fetchPixel(source, clamp(pixelPosition() + ivec2(x, y), ivec2(0), textureSize(source, 0) - 1));
}
