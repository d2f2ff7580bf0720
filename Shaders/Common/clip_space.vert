// clip_space: stands at the end of every vertex function and turns Metal's clip space into GL's.
//
// Metal's y points upward in the picture; GL keeps row 0 of a target, where Metal has its top, at y = -1. Metal's z
// runs from 0 to w, GL's from -w to w.
#undef main
void main() {
  safelight_vertexFunction();
  gl_Position.y = -gl_Position.y;
  gl_Position.z = 2.0 * gl_Position.z - gl_Position.w;
}
