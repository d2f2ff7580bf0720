// Left-bottom, right-bottom, left-top, right-top.
#pragma vertex mapTexture
const vec2 positions[4] = vec2[](vec2(-1, -1), vec2(1, -1), vec2(-1, 1), vec2(1, 1));
const vec2 coordinates[4] = vec2[](vec2(0, 1), vec2(1, 1), vec2(0, 0), vec2(1, 0));
out vec2 textureCoordinates;
void main() {
  gl_Position = vec4(positions[gl_VertexID], 0.0, 1.0);
  textureCoordinates = coordinates[gl_VertexID];
}

#pragma fragment displayTexture
layout(binding = 0) uniform sampler2D source;
in vec2 textureCoordinates;
layout(location = 0) out vec4 color;
void main() { color = texture(source, textureCoordinates); }
