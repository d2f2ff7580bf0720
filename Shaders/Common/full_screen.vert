// full_screen: the four corners of a triangle strip over the whole target, from gl_VertexID alone.
//
// Order and coordinates are Metal's: left-bottom, right-bottom, left-top, right-top, texture coordinates from the
// top-left. GL keeps row 0 of a target first in memory, where Metal's clip space has its top: y is turned over at the
// end.
out vec2 textureCoordinate;

void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  textureCoordinate = vec2(corner.x, 1.0 - corner.y);
  vec2 position = corner * 2.0 - 1.0;
  gl_Position = vec4(position.x, -position.y, 0.0, 1.0);
}
