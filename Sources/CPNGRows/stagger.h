#pragma once

#include "CPNGRows.h"
#include "inline.h"

#include <string.h>

// Undoes the filters of eight rows at once. A pixel needs the one to its left, so a row can only be undone from the
// left to the right; but row k can run k pixels behind row k - 1, of which it then needs what was made the step before.
// A vector holds a pixel of each of two or four rows, and the pixels above are those of the step before, a lane
// further.

typedef uint8_t Lanes __attribute__((vector_size(16)));
typedef uint32_t FourPixels __attribute__((vector_size(16)));
typedef uint64_t TwoPixels __attribute__((vector_size(16)));

enum { staggered_rows = 8 };

/// Eight rows as they are filtered, and as they become. `out` may be `in`.
typedef struct {
    const uint8_t *in;
    size_t in_stride;
    uint8_t *out;
    size_t out_stride;
    /// The row above, as it became.
    const uint8_t *above;
    /// In pixels.
    size_t width;
} StaggeredRows;

/// The bytes of the lanes whose rows have each filter.
typedef struct {
    Lanes sub, up, average, paeth;
} FilterMasks;

// The bytes that a pixel takes in the file, in memory, and in a vector.
typedef struct {
    size_t step;
    size_t out_step;
    size_t lane_bytes;
} StaggeredPixel;

INLINE Lanes distances(Lanes a, Lanes b) {
    return __builtin_elementwise_max(a, b) - __builtin_elementwise_min(a, b);
}

// As paeth() of a byte.
INLINE Lanes paeth_of(Lanes a, Lanes b, Lanes c) {
    const Lanes to_a = distances(b, c), to_b = distances(a, c);
    const Lanes smaller = __builtin_elementwise_min(to_a, to_b);
    const Lanes is_a = (Lanes)(to_a <= to_b);
    const Lanes is_c = (Lanes)((a > c) ^ (b > c)) & (Lanes)(distances(to_a, to_b) < smaller);
    return (is_c & c) | (~is_c & ((is_a & a) | (~is_a & b)));
}

INLINE Lanes predicted(Lanes a, Lanes b, Lanes c, const FilterMasks *filters, bool is_paeth) {
    if (is_paeth) {
        return paeth_of(a, b, c);
    }
    // Half the sum, rounded down, without a ninth bit.
    const Lanes average = (a & b) + ((a ^ b) >> 1);
    return (paeth_of(a, b, c) & filters->paeth) | (average & filters->average) | (a & filters->sub)
        | (b & filters->up);
}

INLINE uint64_t load_pixel(const uint8_t *bytes, size_t lane_bytes) {
    uint64_t pixel = 0;
    memcpy(&pixel, bytes, lane_bytes);
    return pixel;
}

// The pixels of the rows of a vector.
INLINE Lanes gather(const uint64_t *pixels, StaggeredPixel layout) {
    if (layout.lane_bytes == 4) {
        return (Lanes)(FourPixels){(uint32_t)pixels[0], (uint32_t)pixels[1], (uint32_t)pixels[2], (uint32_t)pixels[3]};
    }
    return (Lanes)(TwoPixels){pixels[0], pixels[1]};
}

INLINE uint64_t pixel_of(Lanes lanes, size_t lane, StaggeredPixel layout) {
    return layout.lane_bytes == 4 ? ((FourPixels)lanes)[lane] : ((TwoPixels)lanes)[lane];
}

// `lanes` one lane further, and in the first the last of `before`.
INLINE Lanes moved(Lanes before, Lanes lanes, StaggeredPixel layout) {
    return layout.lane_bytes == 4
        ? __builtin_shufflevector(before, lanes, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27)
        : __builtin_shufflevector(before, lanes, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
}

// Makes the next pixel of each row from what its file has and from the pixel above that of the first row.
INLINE void advance(
    Lanes *made, Lanes *above, const uint64_t *filtered, uint64_t top, const FilterMasks *filters, bool is_paeth,
    StaggeredPixel layout) {
    const size_t lanes = 16 / layout.lane_bytes, vectors = staggered_rows / lanes;
    const Lanes first =
        layout.lane_bytes == 4 ? (Lanes)(FourPixels){0, 0, 0, (uint32_t)top} : (Lanes)(TwoPixels){0, top};
#pragma clang loop unroll(full)
    for (size_t vector = vectors; vector-- > 0;) {
        const Lanes corner = above[vector];
        above[vector] = moved(vector == 0 ? first : made[vector - 1], made[vector], layout);
        made[vector] = gather(filtered + lanes * vector, layout)
            + predicted(made[vector], above[vector], corner, &filters[vector], is_paeth);
    }
}

INLINE void put_pixel(uint8_t *out, uint64_t pixel, StaggeredPixel layout) {
    if (layout.out_step > layout.step) {
        // Alpha.
        pixel |= 0xff000000;
    }
    // No byte of the next pixel, which may not have been read yet.
    memcpy(out, &pixel, layout.out_step);
}

// Makes pixel `at` of the first row, the one before it of the second, and so on. If `is_inside`, all of them lie in the
// picture and have another to their right.
INLINE void make_pixels(
    const StaggeredRows *rows, size_t at, bool is_inside, Lanes *made, Lanes *above, const FilterMasks *filters,
    bool is_paeth, StaggeredPixel layout) {
    const size_t lanes = 16 / layout.lane_bytes;
    uint64_t filtered[staggered_rows];
#pragma clang loop unroll(full)
    for (size_t row = 0; row < staggered_rows; row += 1) {
        filtered[row] = 0;
        if (is_inside || (at >= row && at - row < rows->width)) {
            const uint8_t *in = rows->in + row * rows->in_stride + (at - row) * layout.step;
            filtered[row] = load_pixel(in, is_inside ? layout.lane_bytes : layout.step);
        }
    }
    uint64_t first = 0;
    if (is_inside || at < rows->width) {
        first = load_pixel(rows->above + at * layout.out_step, is_inside ? layout.lane_bytes : layout.out_step);
    }
    advance(made, above, filtered, first, filters, is_paeth, layout);
#pragma clang loop unroll(full)
    for (size_t row = 0; row < staggered_rows; row += 1) {
        if (is_inside || (at >= row && at - row < rows->width)) {
            uint8_t *out = rows->out + row * rows->out_stride + (at - row) * layout.out_step;
            put_pixel(out, pixel_of(made[row / lanes], row % lanes, layout), layout);
        }
    }
}

INLINE void unfilter_staggered(
    const StaggeredRows *rows, const FilterMasks *filters, bool is_paeth, StaggeredPixel layout) {
    Lanes made[4] = {{0}}, above[4] = {{0}};
    size_t at = 0;
    for (; at < staggered_rows - 1; at += 1) {
        make_pixels(rows, at, false, made, above, filters, is_paeth, layout);
    }
    for (; at + 1 < rows->width; at += 1) {
        make_pixels(rows, at, true, made, above, filters, is_paeth, layout);
    }
    for (; at < rows->width + staggered_rows - 1; at += 1) {
        make_pixels(rows, at, false, made, above, filters, is_paeth, layout);
    }
}

INLINE void unfilter_eight(const StaggeredRows *rows, const uint8_t *filter_bytes, StaggeredPixel layout) {
    FilterMasks filters[4];
    const size_t lanes = 16 / layout.lane_bytes;
    bool is_paeth = true;
    for (size_t row = 0; row < staggered_rows; row += 1) {
        const uint8_t filter = filter_bytes[row];
        FilterMasks *vector = &filters[row / lanes];
        for (size_t byte = row % lanes * layout.lane_bytes; byte < (row % lanes + 1) * layout.lane_bytes; byte += 1) {
            vector->sub[byte] = filter == CPNG_FILTER_SUB ? 255 : 0;
            vector->up[byte] = filter == CPNG_FILTER_UP ? 255 : 0;
            vector->average[byte] = filter == CPNG_FILTER_AVERAGE ? 255 : 0;
            vector->paeth[byte] = filter == CPNG_FILTER_PAETH ? 255 : 0;
        }
        is_paeth = is_paeth && filter == CPNG_FILTER_PAETH;
    }
    if (is_paeth) {
        unfilter_staggered(rows, filters, true, layout);
    } else {
        unfilter_staggered(rows, filters, false, layout);
    }
}
