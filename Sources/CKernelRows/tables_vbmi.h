#include <immintrin.h>

// Tables of bytes in registers: AVX-512 VBMI looks 64 bytes up in 128 entries at once, by their lowest seven bits.

#define VBMI __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")))

// 64 entries of a channel's table, which lie in numbers of 32 bits, each at its place in a pixel.
VBMI static inline __m512i entries_of_bytes(const uint32_t *table, unsigned channel) {
    __m128i quarters[4];
    for (int quarter = 0; quarter < 4; quarter += 1) {
        const __m512i sixteen = _mm512_loadu_si512(table + 16 * quarter);
        quarters[quarter] = _mm512_cvtepi32_epi8(_mm512_srli_epi32(sixteen, 8 * channel));
    }
    return _mm512_loadu_si512(quarters);
}

// Looks up as many pixels as blocks of 16 have, and returns their number.
VBMI static size_t look_up_8_vbmi(uint8_t *made, const uint8_t *pixels, const uint32_t *tables, size_t count) {
    __m512i entries[4][4];
    for (unsigned channel = 0; channel < 4; channel += 1) {
        for (unsigned part = 0; part < 4; part += 1) {
            entries[channel][part] = entries_of_bytes(tables + 256 * channel + 64 * part, channel);
        }
    }
    size_t at = 0;
    for (; at + 16 <= count; at += 16) {
        const __m512i values = _mm512_loadu_si512(pixels + 4 * at);
        const __mmask64 are_high = _mm512_movepi8_mask(values);
        __m512i looked = _mm512_setzero_si512();
        for (unsigned channel = 0; channel < 4; channel += 1) {
            const __m512i *of = entries[channel];
            const __m512i low = _mm512_permutex2var_epi8(of[0], values, of[1]);
            const __m512i high = _mm512_permutex2var_epi8(of[2], values, of[3]);
            const __m512i all = _mm512_mask_mov_epi8(low, are_high, high);
            const __m512i of_channel = _mm512_set1_epi32((int)(255u << 8 * channel));
            looked = _mm512_or_si512(looked, _mm512_and_si512(all, of_channel));
        }
        _mm512_storeu_si512(made + 4 * at, looked);
    }
    return at;
}
