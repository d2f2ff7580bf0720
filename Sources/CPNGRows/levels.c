#include "levels.h"
#include "color_type.h"
#include "inline.h"

#include <stdbool.h>

// Each function is compiled for several sets of instructions, and a table says which are which, so that tests can
// compare them. The compiler makes vectors of the filters. Rows are packed by shuffles where there are some, and
// literals written four at a time, or 64 where a few registers hold a table of bytes.

// MARK: Filters

INLINE uint8_t distance(uint8_t a, uint8_t b) {
    return a > b ? a - b : b - a;
}

// Of the byte to the left, that above and that above to the left the one nearest to a + b - c, in this order where
// several are (PNG 9.4). The distance to c is the difference of the other two if c lies between a and b; else it is
// their sum, and c is not nearest.
INLINE uint8_t paeth(uint8_t a, uint8_t b, uint8_t c) {
    const uint8_t to_a = distance(b, c), to_b = distance(a, c);
    const uint8_t smaller = to_a < to_b ? to_a : to_b;
    const uint8_t nearest = to_a <= to_b ? a : b;
    return (a > c) != (b > c) && distance(to_a, to_b) < smaller ? c : nearest;
}

#define FILTERED(prediction) \
    for (size_t i = 0; i < count; i += 1) { \
        out[i] = (uint8_t)(row[i] - (prediction)); \
    }

// MARK: Packing

static void pack_row(const uint8_t *source, size_t width, CPNGSampleType type, uint8_t *row) {
    const bool is_gray = type.color_type == GRAY;
    const CPNGLayout layout = {(uint32_t)width, 1, is_gray ? 1 : 4, type.bit_depth == 16 ? 2 : 1};
    if (cpng_pack_row(source, layout, type, row) == source) {
        memcpy(row, source, width * (is_gray ? 1 : 4));
    }
}

// MARK: Matches

INLINE void put_match(Writer *writer, Token token, const Code *code) {
    if (token.length == 0) {
        return;
    }
    const Slot length = length_slot(token.length), back = distance_slot(token.distance);
    const unsigned symbol = first_length + length.symbol;
    const uint64_t length_extra = (token.length - 3u) & ((1u << length.bits) - 1);
    const uint64_t distance_extra = (token.distance - 1u) & ((1u << back.bits) - 1);
    const unsigned length_count = code->lengths[symbol];
    const unsigned distance_count = code->distance_lengths[back.symbol];
    put(writer, code->codes[symbol] | length_extra << length_count, length_count + length.bits);
    put(writer, code->distance_codes[back.symbol] | distance_extra << distance_count, distance_count + back.bits);
}

// MARK: Four literals

// The code of each byte, with its length in the low 8 bits.
typedef struct {
    uint32_t entries[256];
} Literals;

INLINE Literals literals_of(const Code *code) {
    Literals literals;
    for (size_t byte = 0; byte < 256; byte += 1) {
        literals.entries[byte] = (uint32_t)code->codes[byte] << 8 | code->lengths[byte];
    }
    return literals;
}

INLINE void put_literals(Writer *writer, const uint8_t *bytes, size_t count, const Literals *literals) {
    for (; count >= 4; bytes += 4, count -= 4) {
        const uint32_t a = literals->entries[bytes[0]], b = literals->entries[bytes[1]];
        const uint32_t c = literals->entries[bytes[2]], d = literals->entries[bytes[3]];
        const unsigned first = (a & 255) + (b & 255), second = (c & 255) + (d & 255);
        const uint64_t ab = (uint64_t)(a >> 8) | (uint64_t)(b >> 8) << (a & 255);
        const uint64_t cd = (uint64_t)(c >> 8) | (uint64_t)(d >> 8) << (c & 255);
        put(writer, ab | cd << first, first + second);
    }
    for (; count > 0; bytes += 1, count -= 1) {
        put(writer, literals->entries[*bytes] >> 8, literals->entries[*bytes] & 255);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

// MARK: Packing by shuffles

// The bytes of 16 that a file stores, and how many.
typedef struct {
    uint8_t count;
    int8_t order[16];
} Shuffle;

// Nothing for samples that share a byte and for rows that are stored as they lie. Words have their high byte first (PNG
// 7.1).
static const Shuffle *shuffle_of(CPNGSampleType type) {
    static const Shuffle rgb = {12, {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1}};
    static const Shuffle gray_alpha = {8, {0, 3, 4, 7, 8, 11, 12, 15, -1, -1, -1, -1, -1, -1, -1, -1}};
    static const Shuffle words = {16, {1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14}};
    static const Shuffle rgb_words = {12, {1, 0, 3, 2, 5, 4, 9, 8, 11, 10, 13, 12, -1, -1, -1, -1}};
    static const Shuffle gray_alpha_words = {8, {1, 0, 7, 6, 9, 8, 15, 14, -1, -1, -1, -1, -1, -1, -1, -1}};
    if (type.bit_depth < 8) {
        return NULL;
    }
    const bool are_words = type.bit_depth == 16;
    switch (type.color_type) {
    case RGB:
        return are_words ? &rgb_words : &rgb;
    case GRAY_ALPHA:
        return are_words ? &gray_alpha_words : &gray_alpha;
    default:
        return are_words ? &words : NULL;
    }
}

__attribute__((target("ssse3"))) static void pack_row_by_shuffles(
    const uint8_t *source, size_t width, CPNGSampleType type, uint8_t *row) {
    const Shuffle *shuffle = shuffle_of(type);
    if (shuffle == NULL) {
        pack_row(source, width, type, row);
        return;
    }
    const size_t pixel_bytes = (type.color_type == GRAY ? 1 : 4) * type.bit_depth / 8;
    const __m128i order = _mm_loadu_si128((const __m128i *)shuffle->order);
    size_t left = width;
    for (; left * pixel_bytes >= 16; left -= 16 / pixel_bytes, source += 16, row += shuffle->count) {
        const __m128i pixels = _mm_loadu_si128((const __m128i *)source);
        _mm_storeu_si128((__m128i *)row, _mm_shuffle_epi8(pixels, order));
    }
    if (left > 0) {
        pack_row(source, left, type, row);
    }
}

// MARK: 64 literals

#define VBMI __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,bmi2")))

// What belongs to each byte, in four registers of 64.
typedef struct {
    __m512i parts[4];
} ByteTable;

typedef struct {
    ByteTable lengths;
    ByteTable low;
    ByteTable high;
} WideLiterals;

VBMI INLINE ByteTable byte_table(const uint8_t *bytes) {
    ByteTable table;
    for (size_t part = 0; part < 4; part += 1) {
        table.parts[part] = _mm512_loadu_si512(bytes + 64 * part);
    }
    return table;
}

VBMI INLINE WideLiterals wide_literals_of(const Code *code) {
    uint8_t low[256], high[256];
    for (size_t byte = 0; byte < 256; byte += 1) {
        low[byte] = (uint8_t)code->codes[byte];
        high[byte] = (uint8_t)(code->codes[byte] >> 8);
    }
    return (WideLiterals){byte_table(code->lengths), byte_table(low), byte_table(high)};
}

VBMI INLINE __m512i look_up(const ByteTable *table, __m512i bytes) {
    const __m512i lower = _mm512_permutex2var_epi8(table->parts[0], bytes, table->parts[1]);
    const __m512i upper = _mm512_permutex2var_epi8(table->parts[2], bytes, table->parts[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(bytes), lower, upper);
}

// Codes of 16 bits and their lengths.
typedef struct {
    __m512i codes;
    __m512i lengths;
} WideCodes;

// Joins neighbors, of 16 bits to 32 and then to 64.
VBMI INLINE WideCodes joined(WideCodes single) {
    const __m512i low_words = _mm512_set1_epi32(0xffff), low_longs = _mm512_set1_epi64(0xffffffff);
    __m512i length = _mm512_and_si512(single.lengths, low_words);
    __m512i codes = _mm512_or_si512(
        _mm512_and_si512(single.codes, low_words), _mm512_sllv_epi32(_mm512_srli_epi32(single.codes, 16), length));
    const __m512i lengths = _mm512_add_epi32(length, _mm512_srli_epi32(single.lengths, 16));
    length = _mm512_and_si512(lengths, low_longs);
    codes = _mm512_or_si512(
        _mm512_and_si512(codes, low_longs), _mm512_sllv_epi64(_mm512_srli_epi64(codes, 32), length));
    return (WideCodes){codes, _mm512_add_epi64(length, _mm512_srli_epi64(lengths, 32))};
}

VBMI INLINE void put_wide_literals(
    Writer *writer, const uint8_t *bytes, size_t count, const WideLiterals *literals) {
    for (size_t done = 0; done < count; done += 64) {
        // Bytes beyond the last have codes of no bits.
        const __mmask64 mask = count - done < 64 ? ((__mmask64)1 << (count - done)) - 1 : ~(__mmask64)0;
        const __m512i loaded = _mm512_maskz_loadu_epi8(mask, bytes + done);
        const __m512i lengths = _mm512_maskz_mov_epi8(mask, look_up(&literals->lengths, loaded));
        const __m512i low = _mm512_maskz_mov_epi8(mask, look_up(&literals->low, loaded));
        const __m512i high = _mm512_maskz_mov_epi8(mask, look_up(&literals->high, loaded));
        // Unpacking takes the lower and the upper eight bytes of every sixteen: two groups of four codes each.
        const __m512i zero = _mm512_setzero_si512();
        const WideCodes lower = joined(
            (WideCodes){_mm512_unpacklo_epi8(low, high), _mm512_unpacklo_epi8(lengths, zero)});
        const WideCodes upper = joined(
            (WideCodes){_mm512_unpackhi_epi8(low, high), _mm512_unpackhi_epi8(lengths, zero)});
        uint64_t codes[2][8], counts[2][8];
        _mm512_storeu_si512(codes[0], lower.codes);
        _mm512_storeu_si512(codes[1], upper.codes);
        _mm512_storeu_si512(counts[0], lower.lengths);
        _mm512_storeu_si512(counts[1], upper.lengths);
        for (size_t sixteen = 0; sixteen < 4 && done + 16 * sixteen < count; sixteen += 1) {
            for (size_t half = 0; half < 2; half += 1) {
                put(writer, codes[half][2 * sixteen], (unsigned)counts[half][2 * sixteen]);
                put(writer, codes[half][2 * sixteen + 1], (unsigned)counts[half][2 * sixteen + 1]);
            }
        }
    }
}

#define JOIN(name, level) name##_##level

#define LEVEL(name) JOIN(name, avx512)
#define LEVEL_NAME "avx512"
#define PACK_ROW pack_row_by_shuffles
#define TARGET VBMI
#define LITERALS WideLiterals
#define LITERALS_OF wide_literals_of
#define PUT_LITERALS put_wide_literals
#include "level_functions.h"
#undef LEVEL
#undef LEVEL_NAME
#undef TARGET
#undef LITERALS
#undef LITERALS_OF
#undef PUT_LITERALS

#define LITERALS Literals
#define LITERALS_OF literals_of
#define PUT_LITERALS put_literals

#define LEVEL(name) JOIN(name, avx2)
#define LEVEL_NAME "avx2"
#define TARGET __attribute__((target("avx2,bmi2")))
#include "level_functions.h"
#undef LEVEL
#undef LEVEL_NAME
#undef TARGET
#undef LITERALS
#undef LITERALS_OF
#undef PUT_LITERALS
#undef PACK_ROW

#endif

#define LEVEL(name) name##_baseline
#define LEVEL_NAME "baseline"
#define TARGET
#define PACK_ROW pack_row
#define LITERALS Literals
#define LITERALS_OF literals_of
#define PUT_LITERALS put_literals
#include "level_functions.h"

const CPNGLevel *cpng_level(size_t number) {
    const CPNGLevel *levels[3];
    size_t count = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi")
        && __builtin_cpu_supports("bmi2")) {
        levels[count++] = &level_avx512;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
        levels[count++] = &level_avx2;
    }
#endif
    levels[count++] = &level_baseline;
    return number < count ? levels[number] : NULL;
}

const char *cpng_level_name(const CPNGLevel *level) {
    return level->name;
}
