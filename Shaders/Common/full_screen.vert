// full_screen: the four corners of a triangle strip over the whole target, from gl_VertexID alone.
//
// Order and coordinates are Metal's: left-bottom, right-bottom, left-top, right-top, texture coordinates from the
// top-left.
out vec2 textureCoordinate;

void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  textureCoordinate = vec2(corner.x, 1.0 - corner.y);
  gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
