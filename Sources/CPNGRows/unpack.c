#include "CPNGRows.h"
#include "color_type.h"
#include "levels.h"
#include "unfilter.h"

#include <string.h>

// A pixel of 8 bits a sample as it lies in memory.
typedef struct {
    uint8_t samples[4];
} Pixel;

typedef struct {
    CPNGSampleType type;
    size_t width;
    // Of every index that a byte can hold.
    Pixel palette[256];
    size_t palette_count;
    bool is_beyond_palette;
    // The colour that is transparent.
    bool has_key;
    uint16_t key[3];
} Unpacking;

static uint16_t word(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

size_t cpng_row_bytes(CPNGSampleType type, uint32_t width) {
    return ((size_t)width * samples_of(type.color_type) * type.bit_depth + 7) / 8;
}

// False where a key has bits beyond the depth.
static bool take_colors(Unpacking *unpacking, CPNGColors colors) {
    if (unpacking->type.color_type == PALETTE) {
        unpacking->palette_count = colors.palette_count / 3;
        for (size_t i = 0; i < 256; i += 1) {
            const bool is_known = i < unpacking->palette_count;
            Pixel *pixel = &unpacking->palette[i];
            for (size_t sample = 0; sample < 3; sample += 1) {
                // Black, as most readers have it.
                pixel->samples[sample] = is_known ? colors.palette[3 * i + sample] : 0;
            }
            pixel->samples[3] = i < colors.transparency_count ? colors.transparency[i] : 255;
        }
        return true;
    }
    unpacking->has_key = colors.transparency_count > 0;
    const size_t count = samples_of(unpacking->type.color_type);
    for (size_t i = 0; i < count && unpacking->has_key; i += 1) {
        unpacking->key[i] = word(colors.transparency + 2 * i);
        if (unpacking->key[i] >> unpacking->type.bit_depth != 0) {
            return false;
        }
    }
    return true;
}

// The leftmost pixel lies in the high bits (PNG 7.2).
static uint8_t low_sample(const uint8_t *row, size_t x, unsigned depth) {
    const size_t bit = x * depth;
    return (uint8_t)(row[bit / 8] >> (8u - depth - bit % 8u)) & (uint8_t)((1u << depth) - 1u);
}

static void unpack_palette(Unpacking *unpacking, const uint8_t *row, uint8_t *pixels) {
    unsigned largest = 0;
    for (size_t x = 0; x < unpacking->width; x += 1) {
        const uint8_t index = low_sample(row, x, unpacking->type.bit_depth);
        largest = index > largest ? index : largest;
        memcpy(pixels + 4 * x, &unpacking->palette[index], 4);
    }
    unpacking->is_beyond_palette |= largest >= unpacking->palette_count;
}

// Up to 8 bits, widened by repeating bits, which is exact: ×255, ×85, ×17 (PNG 13.12).
static void unpack_gray(const Unpacking *unpacking, const uint8_t *row, uint8_t *pixels) {
    const unsigned depth = unpacking->type.bit_depth;
    const unsigned step = 255u / ((1u << depth) - 1u);
    for (size_t x = 0; x < unpacking->width; x += 1) {
        const uint8_t sample = low_sample(row, x, depth);
        const uint8_t gray = (uint8_t)(sample * step);
        if (unpacking->has_key) {
            const Pixel pixel = {{gray, gray, gray, sample == unpacking->key[0] ? 0 : 255}};
            memcpy(pixels + 4 * x, &pixel, 4);
        } else {
            pixels[x] = gray;
        }
    }
}

static void unpack_gray_alpha(const Unpacking *unpacking, const uint8_t *row, uint8_t *pixels) {
    for (size_t x = 0; x < unpacking->width; x += 1) {
        const Pixel pixel = {{row[2 * x], row[2 * x], row[2 * x], row[2 * x + 1]}};
        memcpy(pixels + 4 * x, &pixel, 4);
    }
}

// RGB lies in memory already.
static void clear_key(const Unpacking *unpacking, uint8_t *pixels) {
    for (size_t x = 0; x < unpacking->width; x += 1, pixels += 4) {
        if (pixels[0] == unpacking->key[0] && pixels[1] == unpacking->key[1] && pixels[2] == unpacking->key[2]) {
            pixels[3] = 0;
        }
    }
}

// The file has the high byte first (PNG 7.1).
static void unpack_words(const uint8_t *row, size_t count, uint8_t *pixels) {
    for (size_t i = 0; i < count; i += 1) {
        const uint16_t sample = word(row + 2 * i);
        memcpy(pixels + 2 * i, &sample, 2);
    }
}

static void unpack_wide(const Unpacking *unpacking, const uint8_t *row, uint8_t *pixels) {
    const uint8_t color_type = unpacking->type.color_type;
    const size_t count = samples_of(color_type);
    if (color_type == RGBA || (color_type == GRAY && !unpacking->has_key)) {
        unpack_words(row, unpacking->width * count, pixels);
        return;
    }
    const bool is_gray = color_type != RGB;
    for (size_t x = 0; x < unpacking->width; x += 1, row += 2 * count) {
        const uint16_t first = word(row);
        uint16_t pixel[4] = {first, is_gray ? first : word(row + 2), is_gray ? first : word(row + 4), 65535};
        if (color_type == GRAY_ALPHA) {
            pixel[3] = word(row + 2);
        } else if (unpacking->has_key) {
            const uint16_t *key = unpacking->key;
            const bool is_key = first == key[0] && (is_gray || (pixel[1] == key[1] && pixel[2] == key[2]));
            pixel[3] = is_key ? 0 : 65535;
        }
        memcpy(pixels + 8 * x, pixel, 8);
    }
}

static void unpack(Unpacking *unpacking, const uint8_t *row, uint8_t *pixels) {
    if (unpacking->type.bit_depth == 16) {
        unpack_wide(unpacking, row, pixels);
    } else if (unpacking->type.color_type == PALETTE) {
        unpack_palette(unpacking, row, pixels);
    } else if (unpacking->type.color_type == GRAY_ALPHA) {
        unpack_gray_alpha(unpacking, row, pixels);
    } else {
        unpack_gray(unpacking, row, pixels);
    }
}

// True if the filters of the next eight rows are better undone at once: at least two have Average or Paeth, of which
// every pixel waits for the one to its left.
static bool pays_at_once(const uint8_t *rows, size_t stride, size_t step) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    size_t slow = 0;
    for (size_t row = 0; row < staggered_rows; row += 1) {
        const uint8_t filter = rows[row * stride];
        if (filter > CPNG_FILTER_PAETH) {
            return false;
        }
        slow += filter >= CPNG_FILTER_AVERAGE;
    }
    return step >= 3 && slow >= 2;
#else
    return false;
#endif
}

CPNGRowsStatus cpng_unpack_rows(
    const CPNGLevel *level, uint8_t *rows, CPNGSampleType type, CPNGColors colors, CPNGLayout layout, uint8_t *pixels) {
    Unpacking unpacking = {.type = type, .width = layout.width};
    if (!take_colors(&unpacking, colors)) {
        return CPNG_ROWS_UNUSUAL;
    }
    const size_t stride = cpng_row_bytes(type, layout.width) + 1;
    const size_t out_bytes = (size_t)layout.width * layout.samples * layout.sample_bytes;
    const size_t step = filter_step(type.color_type, type.bit_depth);
    // Then a filter is undone on the way to where the pixels belong.
    const bool is_direct = type.bit_depth == 8
        && (type.color_type == RGB || type.color_type == RGBA || (type.color_type == GRAY && !unpacking.has_key));

    const uint8_t *above = NULL;
    for (size_t y = 0; y < layout.height;) {
        uint8_t *out = is_direct ? pixels : rows + 1;
        const size_t out_stride = is_direct ? out_bytes : stride;
        size_t count = 1;
        if (above != NULL && layout.height - y >= staggered_rows && pays_at_once(rows, stride, step)) {
            uint8_t filters[staggered_rows];
            count = staggered_rows;
            for (size_t row = 0; row < count; row += 1) {
                filters[row] = rows[row * stride];
            }
            const StaggeredRows eight = {rows + 1, stride, out, out_stride, above, layout.width};
            level->unfilter_eight(&eight, filters, step);
        } else if (!cpng_unfilter_row(
                       rows[0], out, rows + 1, above, (stride - 1) / step, step, is_direct ? layout.samples : step)) {
            return CPNG_ROWS_UNUSUAL;
        }
        for (size_t row = 0; row < count; row += 1, out += out_stride, pixels += out_bytes) {
            if (!is_direct) {
                unpack(&unpacking, out, pixels);
            } else if (unpacking.has_key) {
                clear_key(&unpacking, pixels);
            }
            above = out;
        }
        rows += count * stride;
        y += count;
    }
    return unpacking.is_beyond_palette ? CPNG_ROWS_BEYOND_PALETTE : CPNG_ROWS_DONE;
}
