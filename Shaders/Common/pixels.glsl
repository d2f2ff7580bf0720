// pixels: samples as integers from 0 to MAXIMUM, whatever the format; SAMPLE_BITS is 8 or 16.
//
// Reads use texelFetch: no sampler, no filtering, no coordinate arithmetic. round(255 * (v / 255)) is v in fp32 for
// every v.
#if SAMPLE_BITS == 8
#define MAXIMUM 255u
#define SOURCE_TEXTURE sampler2D
#define STORAGE_FORMAT rgba8ui
uvec4 fetchPixel(sampler2D source, ivec2 position) {
  return uvec4(texelFetch(source, position, 0) * 255.0 + 0.5);
}
#else
#define MAXIMUM 65535u
#define SOURCE_TEXTURE usampler2D
#define STORAGE_FORMAT rgba16ui
uvec4 fetchPixel(usampler2D source, ivec2 position) {
  return texelFetch(source, position, 0);
}
#endif

// Luma of ITU-R BT.601 in integers: 0.299, 0.587, 0.114 times 65536, with sum 65536.
uint luma601(uvec4 pixel) {
  return (19595u * pixel.r + 38470u * pixel.g + 7471u * pixel.b + 32768u) >> 16;
}
