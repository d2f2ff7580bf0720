#pragma once

#include "CPNGRows.h"
#include "huffman.h"
#include "inline.h"

#include <string.h>

// What a block of deflate (RFC 1951) is made of, and its bits.

enum { end_of_block = 256, first_length = 257, distance_symbols = 30 };

/// Bytes that stand for themselves, then `length` bytes, 3 to 258, that stand `distance` before, too. Only the last
/// token of a block has a length of 0.
typedef struct {
    uint32_t literals;
    uint16_t length;
    uint16_t distance;
} Token;

/// How often each symbol of a block occurs, and the codes that follow from that.
typedef struct {
    uint32_t counts[most_symbols];
    uint32_t distance_counts[distance_symbols];
    uint8_t lengths[most_symbols];
    uint8_t distance_lengths[distance_symbols];
    uint16_t codes[most_symbols];
    uint16_t distance_codes[distance_symbols];
} Code;

/// A number as a symbol and the bits that follow it: the symbol keeps the highest bit and `kept` more (RFC 1951,
/// 3.2.5).
typedef struct {
    unsigned symbol;
    unsigned bits;
} Slot;

static inline Slot slot(unsigned number, unsigned kept) {
    const unsigned highest = 31 - (unsigned)__builtin_clz(number | 1);
    const unsigned bits = highest > kept ? highest - kept : 0;
    return (Slot){(bits << kept) + (number >> bits), bits};
}

static inline Slot length_slot(unsigned length) {
    return length == 258 ? (Slot){28, 0} : slot(length - 3, 2);
}

static inline Slot distance_slot(unsigned distance) {
    return slot(distance - 1, 1);
}

typedef struct {
    uint8_t *next;
    /// Bits that do not fill a byte, the first lowest, and their number, up to 7.
    uint64_t waiting;
    unsigned count;
} Writer;

/// Writes up to 56 bits, the first lowest, and up to 8 bytes behind them that are overwritten later.
INLINE void put(Writer *writer, uint64_t bits, unsigned count) {
    writer->waiting |= bits << writer->count;
    writer->count += count;
    uint64_t word = writer->waiting;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(writer->next, &word, sizeof word);
    writer->next += writer->count / 8;
    writer->waiting >>= writer->count & 56;
    writer->count &= 7;
}
