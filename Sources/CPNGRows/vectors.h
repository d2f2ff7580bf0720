#pragma once

#include "inline.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Eight samples at a time in clang's portable vectors, which are SSE2 or NEON instructions, or else plain code.

typedef uint8_t Bytes __attribute__((vector_size(8)));
typedef int16_t Words __attribute__((vector_size(16)));

/// The first `count` bytes of memory where 4 or 8 may be read.
INLINE Words load(const uint8_t *source, size_t count) {
    Bytes bytes = {0};
    if (count <= 2) {
        memcpy(&bytes, source, count);
    } else {
        memcpy(&bytes, source, count <= 4 ? 4 : 8);
    }
    return __builtin_convertvector(bytes, Words);
}

INLINE void store(uint8_t *target, Words words, size_t count) {
    const Bytes bytes = __builtin_convertvector(words, Bytes);
    memcpy(target, &bytes, count);
}

/// Sums modulo 256 of words that hold bytes.
static inline Words add(Words a, Words b) {
    typedef uint8_t All __attribute__((vector_size(16)));
    return (Words)((All)a + (All)b);
}

static inline Words average(Words a, Words b) {
    return (a + b) >> 1;
}

/// Of `a` (left), `b` (above) and `c` (above left) the one nearest to a + b − c, in that order where several are (PNG
/// 9.4). With t = 3c − a − b that is the smaller of a and b where the larger is at most t, the larger where the smaller
/// is at least t, else c; most of it does not wait for a.
static inline Words paeth(Words a, Words b, Words c) {
    const Words threshold = (c + c + c - b) - a;
    const Words smaller = __builtin_elementwise_min(a, b);
    const Words larger = __builtin_elementwise_max(a, b);
    const Words exceeds = larger > threshold;
    const Words falls_short = smaller < threshold;
    return (~exceeds & smaller) | (~falls_short & larger) | (exceeds & falls_short & c);
}
