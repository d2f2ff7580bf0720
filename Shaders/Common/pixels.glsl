// pixels: samples as integers from 0 to MAXIMUM, whatever the format; SAMPLE_BITS is 8 or 16. Samples of 8 bits are
// normalized, those of 16 bits integers unless SAFELIGHT_IS_NORMALIZED is 1.
//
// Bodies use SAMPLE_BITS, MAXIMUM, SOURCE_TEXTURE, fetchPixel and luma601. If SAFELIGHT_IS_FLOAT is defined, halves and
// floats are read as keys, see Common/keys.glsl.
//
// Reads use texelFetch: no sampler, no filtering, no coordinate arithmetic. round(m * (v / m)) is v in fp32 for every
// v of 8 and of 16 bits.
#if SAMPLE_BITS == 8
#define MAXIMUM 255u
#define SAFELIGHT_STORAGE_FORMAT rgba8ui
#define SAFELIGHT_IS_NORMALIZED 1
#else
#define MAXIMUM 65535u
#define SAFELIGHT_STORAGE_FORMAT rgba16ui
#ifndef SAFELIGHT_IS_NORMALIZED
#define SAFELIGHT_IS_NORMALIZED 0
#endif
#endif

#if SAFELIGHT_IS_NORMALIZED
#define SOURCE_TEXTURE sampler2D
#else
#define SOURCE_TEXTURE usampler2D
#endif

#ifdef SAFELIGHT_IS_FLOAT
#include "Common/keys.glsl"

#define SAFELIGHT_TRANSPARENT KEY_OF_ZERO
#else
// The greatest alpha of a pixel that is not seen.
#define SAFELIGHT_TRANSPARENT 0u
#endif

uvec4 fetchPixel(sampler2D source, ivec2 position) {
#ifdef SAFELIGHT_IS_FLOAT
  vec4 pixel = texelFetch(source, position, 0);
  return uvec4(keyOf(pixel.r), keyOf(pixel.g), keyOf(pixel.b), keyOf(pixel.a));
#else
  return uvec4(texelFetch(source, position, 0) * float(MAXIMUM) + 0.5);
#endif
}

uvec4 fetchPixel(usampler2D source, ivec2 position) {
  return texelFetch(source, position, 0);
}

// Luma of ITU-R BT.601 in integers: 0.299, 0.587, 0.114 times 65536, with sum 65536.
uint luma601(uvec4 pixel) {
  return (19595u * pixel.r + 38470u * pixel.g + 7471u * pixel.b + 32768u) >> 16;
}
