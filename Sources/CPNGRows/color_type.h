#pragma once

#include <stddef.h>
#include <stdint.h>

// The colour types of PNG, by their numbers (PNG 11.2.1).
enum { GRAY = 0, RGB = 2, PALETTE = 3, GRAY_ALPHA = 4, RGBA = 6 };

/// What a pixel takes in a file.
static inline size_t samples_of(uint8_t color_type) {
    switch (color_type) {
    case GRAY_ALPHA:
        return 2;
    case RGB:
        return 3;
    case RGBA:
        return 4;
    default:
        return 1;
    }
}

/// The bytes from a sample to the one that filters compare it with: of a pixel, at least 1 (PNG 9.2).
static inline size_t filter_step(uint8_t color_type, uint8_t bit_depth) {
    const size_t bits = samples_of(color_type) * bit_depth;
    return bits < 8 ? 1 : bits / 8;
}
