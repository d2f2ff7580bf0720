// over: a pixel over another, both with straight alpha; by ImageRenderer.Blend.
//
// Every product stays below 2^32, also in 16 bits.
uvec4 over(uvec4 front, uvec4 back) {
  uint share = (back.a * (MAXIMUM - front.a) + MAXIMUM / 2u) / MAXIMUM;
  uint alpha = front.a + share;
  if (alpha == 0u) return back;
  return uvec4((front.a * front.rgb + share * back.rgb + alpha / 2u) / alpha, alpha);
}
