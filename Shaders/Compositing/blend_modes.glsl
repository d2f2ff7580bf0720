// blend_modes: the mixture of two opaque colors, f of the frame and s of the second picture, by MODE, the mode's number
// in ImageBlend.Mode. Twin: BlendMixture. No product exceeds MAXIMUM * MAXIMUM.
#define NORMAL 0
#define MULTIPLY 1
#define SCREEN 2
#define OVERLAY 3
#define DARKEN 4
#define LIGHTEN 5
#define COLOR_DODGE 6
#define COLOR_BURN 7
#define HARD_LIGHT 8
#define SOFT_LIGHT 9
#define DIFFERENCE 10
#define EXCLUSION 11
#define HUE 12
#define SATURATION 13
#define COLOR 14
#define LUMINOSITY 15

#if MODE >= HUE
#include "Compositing/blend_colors.glsl"
#endif

uvec4 divided(uvec4 product) {
  return (product + MAXIMUM / 2u) / MAXIMUM;
}

uint divided(uint product) {
  return (product + MAXIMUM / 2u) / MAXIMUM;
}

// A product where s is dark and a screen where it is light; the other term is 0, or f.
uvec4 hardLight(uvec4 f, uvec4 s) {
  uvec4 light = max(2u * s, uvec4(MAXIMUM)) - MAXIMUM;
  return divided(f * min(2u * s, uvec4(MAXIMUM))) + light - divided(f * light);
}

uint dodge(uint f, uint s) {
  uint rest = MAXIMUM - s;
  if (rest == 0u) return min(f, 1u) * MAXIMUM;
  return min((f * MAXIMUM + rest / 2u) / rest, MAXIMUM);
}

// The root, rounded to the nearest.
uint root(uint square) {
  uint found = 0u;
  // Bit by bit from the top, since a driver may round a root.
  for (uint bit = (MAXIMUM + 1u) / 2u; bit > 0u; bit >>= 1) {
    uint larger = found | bit;
    if (larger * larger <= square) found = larger;
  }
  return square - found * found > found ? found + 1u : found;
}

uint softLight(uint f, uint s) {
  if (2u * s <= MAXIMUM) return f - divided((MAXIMUM - 2u * s) * divided(f * (MAXIMUM - f)));
  uint lighter;
  if (4u * f <= MAXIMUM) {
    uint square = divided(4u * f * 4u * f);
    uint cube = divided(square * 4u * f);
    lighter = 4u * f - (3u * square - cube + 2u) / 4u;
  } else {
    lighter = root(f * MAXIMUM);
  }
  return f + divided((2u * s - MAXIMUM) * (lighter - f));
}

uvec4 mixture(uvec4 f, uvec4 s) {
#if MODE == MULTIPLY
  return divided(f * s);
#elif MODE == SCREEN
  return f + s - divided(f * s);
#elif MODE == OVERLAY
  return hardLight(s, f);
#elif MODE == DARKEN
  return min(f, s);
#elif MODE == LIGHTEN
  return max(f, s);
#elif MODE == COLOR_DODGE
  return uvec4(dodge(f.r, s.r), dodge(f.g, s.g), dodge(f.b, s.b), 0u);
#elif MODE == COLOR_BURN
  f = MAXIMUM - f;
  s = MAXIMUM - s;
  return MAXIMUM - uvec4(dodge(f.r, s.r), dodge(f.g, s.g), dodge(f.b, s.b), MAXIMUM);
#elif MODE == HARD_LIGHT
  return hardLight(f, s);
#elif MODE == SOFT_LIGHT
  return uvec4(softLight(f.r, s.r), softLight(f.g, s.g), softLight(f.b, s.b), 0u);
#elif MODE == DIFFERENCE
  return max(f, s) - min(f, s);
#elif MODE == EXCLUSION
  return divided(f * (MAXIMUM - s) + s * (MAXIMUM - f));
#elif MODE == HUE
  return uvec4(lit(s.rgb, saturation(f.rgb), luminosity(f.rgb)), 0u);
#elif MODE == SATURATION
  return uvec4(lit(f.rgb, saturation(s.rgb), luminosity(f.rgb)), 0u);
#elif MODE == COLOR
  return uvec4(lit(s.rgb, saturation(s.rgb), luminosity(f.rgb)), 0u);
#elif MODE == LUMINOSITY
  return uvec4(lit(f.rgb, saturation(f.rgb), luminosity(s.rgb)), 0u);
#else
  return s;
#endif
}
