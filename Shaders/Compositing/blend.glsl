// blend: a second picture over the frame, by a blend mode. Twin: ImageBlend, whose card has the formulas. Products of
// samples of 16 bits fill 32 bits.
//
// in  opacity  the factor for the second picture's alpha, in 65536ths
#include "Compositing/blend_modes.glsl"

layout(std140, binding = 2) uniform Blend {
  uint opacity;
};

uvec4 pointKernel(uvec4 f) {
  uvec4 s = second(0, 0);
#if IS_GRAY
  f = uvec4(f.rrr, MAXIMUM);
  s = uvec4(s.rrr, MAXIMUM);
#endif
  uvec4 faded = (s * opacity + 32768u) >> 16;
#if IS_PREMULTIPLIED
  s = faded;
#else
  s.a = faded.a;
#endif
  uint kept = (f.a * (MAXIMUM - s.a) + MAXIMUM / 2u) / MAXIMUM;
  uint alpha = s.a + kept;
#if IS_PREMULTIPLIED && MODE == NORMAL
  uvec4 made = s + divided(f * (MAXIMUM - s.a));
#elif IS_PREMULTIPLIED && MODE == MULTIPLY
  // The sum of three products may exceed 32 bits, where a color is greater than its alpha.
  uvec4 x = s * (MAXIMUM - f.a);
  uvec4 y = f * (MAXIMUM - s.a);
  uvec4 z = s * f;
  uvec4 made = x / MAXIMUM + y / MAXIMUM + z / MAXIMUM + divided(x % MAXIMUM + y % MAXIMUM + z % MAXIMUM);
#elif IS_PREMULTIPLIED
  uvec4 made = mixture(f, s);
#else
  if (alpha == 0u) return f;
  uvec4 mixed = divided(s * (MAXIMUM - f.a) + mixture(f, s) * f.a);
  uvec4 made = (mixed * s.a + f * kept + alpha / 2u) / alpha;
#endif
  return uvec4(min(made.rgb, uvec3(MAXIMUM)), alpha);
}
