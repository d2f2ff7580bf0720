#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Clang's portable vectors of 64 bytes, from any address: one AVX-512 register, two of AVX2, or four.

#define VECTOR(name, type, bytes) \
    typedef type name __attribute__((vector_size(bytes), aligned(1), may_alias))

VECTOR(Bytes, uint8_t, 64);
VECTOR(Words, uint16_t, 64);
VECTOR(Longs, uint32_t, 64);
// As many samples as there are words or longs.
VECTOR(WordBytes, uint8_t, 32);
VECTOR(LongBytes, uint8_t, 16);
VECTOR(LongWords, uint16_t, 32);
// Numbers of 64 bits, and as many smaller ones.
VECTOR(Giants, uint64_t, 64);
VECTOR(GiantLongs, uint32_t, 32);
VECTOR(GiantWords, uint16_t, 16);
VECTOR(GiantBytes, uint8_t, 8);
VECTOR(SignedLongs, int32_t, 64);
VECTOR(Floats, float, 64);
VECTOR(SignedGiantLongs, int32_t, 32);
VECTOR(SignedGiants, int64_t, 64);
VECTOR(Doubles, double, 64);
// The samples of a pixel, and of two.
VECTOR(FourBytes, uint8_t, 4);
VECTOR(FourWords, uint16_t, 8);
VECTOR(FourSignedLongs, int32_t, 16);
VECTOR(FourSignedGiants, int64_t, 32);
VECTOR(EightBytes, uint8_t, 8);
VECTOR(EightWords, uint16_t, 16);
VECTOR(EightLongs, uint32_t, 32);
VECTOR(FourLongs, uint32_t, 16);
VECTOR(FourGiants, uint64_t, 32);

#define LOAD(type, address) (*(const type *)(address))
#define STORE(type, address, vector) (*(type *)(address) = (vector))
#define AS(type, vector) __builtin_convertvector(vector, type)

// The start of the block of `size` values behind the one at `first`, of `count` values in all; `count` behind the last,
// which overlaps the one before. There must be at least one block.
static inline size_t next_block(size_t first, size_t size, size_t count) {
    if (first + size >= count) {
        return count;
    }
    return first + 2 * size <= count ? first + size : count - size;
}

// Fewer values than a block has, one by one: vectors of the compiler's own would be of no use there.
#define EACH_VALUE(at, count) \
    _Pragma("clang loop vectorize(disable) interleave(disable)") for (size_t at = 0; at < count; at += 1)
