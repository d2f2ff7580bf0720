// blend_colors: a color with another's luminosity, and with a saturation. Twin: BlendMixture. Luminosities are sums of
// hundredths of samples, so they have 23 bits.

uint luminosity(uvec3 c) {
  return 30u * c.r + 59u * c.g + 11u * c.b;
}

uint saturation(uvec3 c) {
  return max(max(c.r, c.g), c.b) - min(min(c.r, c.g), c.b);
}

// factor * count / total, halves up, for factors of 16 bits, and counts and totals of 23; the result has 16.
uvec3 scaled(uvec3 factor, uint count, uint total) {
  uint rest = count % total;
  uvec3 upper = (factor >> 8) * rest;
  uvec3 lower = (upper % total << 8) + (factor & 255u) * rest + total / 2u;
  return factor * (count / total) + (upper / total << 8) + lower / total;
}

// Whether a * b is less than c * d, which have more than 32 bits.
bool isLess(uint a, uint b, uint c, uint d) {
  uint highOne, lowOne, highOther, lowOther;
  umulExtended(a, b, highOne, lowOne);
  umulExtended(c, d, highOther, lowOther);
  return highOne < highOther || highOne == highOther && lowOne < lowOther;
}

// The color c with the luminosity `light`, and the saturation `spread` as far as there is room for it.
uvec3 lit(uvec3 c, uint spread, uint light) {
  uint least = min(min(c.r, c.g), c.b);
  uint most = max(max(c.r, c.g), c.b);
  uint own = most - least;
  uint below = luminosity(c) - 100u * least;
  uint above = 100u * most - luminosity(c);
  uint dark = 100u * MAXIMUM - light;
  if (isLess(light, own, spread, below)) return scaled(c - least, light, below);
  if (isLess(dark, own, spread, above)) return MAXIMUM - scaled(most - c, dark, above);
  uvec3 even = ((c - least) * spread + own / 2u) / max(own, 1u);
  return (light + 100u * even + 50u - luminosity(even)) / 100u;
}
