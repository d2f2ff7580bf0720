// muldiv: a product divided, exactly, where the product needs more than 32 bits; for factors of MULDIV_BITS.

// floor(factor * count / total) and its remainder, for count <= total < 2^32. Horner's rule adds count in each bit of
// factor that is set; value and remainder stand for factor' * count = value * total + remainder. The number of rounds
// is a constant, so that drivers unroll them: llvmpipe leaves the loops of an invocation after 65535 rounds.
uvec2 muldiv(uint factor, uint count, uint total) {
  uint value = 0u;
  uint remainder = 0u;
  for (uint bit = 0u; bit < uint(MULDIV_BITS); ++bit) {
    value <<= 1;
    if (remainder >= total - remainder) {
      remainder -= total - remainder;
      value += 1u;
    } else {
      remainder += remainder;
    }
    if ((factor >> (uint(MULDIV_BITS) - 1u - bit) & 1u) != 0u) {
      if (count >= total - remainder) {
        remainder -= total - count;
        value += 1u;
      } else {
        remainder += count;
      }
    }
  }
  return uvec2(value, remainder);
}
