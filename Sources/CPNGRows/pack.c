#include "CPNGRows.h"
#include "color_type.h"

#include <string.h>

// Several pixels a byte, the leftmost in the high bits (PNG 7.2).
static void pack_bits(const uint8_t *source, size_t width, unsigned depth, uint8_t *row) {
    const unsigned step = 255u / ((1u << depth) - 1u);
    memset(row, 0, (width * depth + 7) / 8);
    for (size_t x = 0; x < width; x += 1) {
        const size_t bit = x * depth;
        row[bit / 8] |= (uint8_t)((source[x] / step) << (8u - depth - bit % 8u));
    }
}

// Four pixels are three words.
static void pack_rgb(const uint8_t *source, size_t width, uint8_t *row) {
    size_t x = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (; x + 4 <= width; x += 4, source += 16, row += 12) {
        uint32_t p[4];
        memcpy(p, source, sizeof p);
        const uint32_t words[3] = {
            (p[0] & 0xffffff) | p[1] << 24,
            (p[1] >> 8 & 0xffff) | p[2] << 16,
            (p[2] >> 16 & 0xff) | p[3] << 8,
        };
        memcpy(row, words, sizeof words);
    }
#endif
    for (; x < width; x += 1, source += 4, row += 3) {
        memcpy(row, source, 3);
    }
}

static void pack_gray_alpha(const uint8_t *source, size_t width, uint8_t *row) {
    for (size_t x = 0; x < width; x += 1) {
        row[2 * x] = source[4 * x];
        row[2 * x + 1] = source[4 * x + 3];
    }
}

// PNG stores 16-bit samples with the high byte first (PNG 7.1).
static void pack_words(const uint8_t *source, CPNGLayout layout, uint8_t color_type, uint8_t *row) {
    const size_t count = samples_of(color_type);
    for (size_t x = 0; x < layout.width; x += 1, source += 2 * layout.samples) {
        for (size_t sample = 0; sample < count; sample += 1) {
            const bool is_alpha = color_type == GRAY_ALPHA && sample == 1;
            uint16_t value;
            memcpy(&value, source + 2 * (is_alpha ? 3 : sample), sizeof value);
            *row++ = (uint8_t)(value >> 8);
            *row++ = (uint8_t)value;
        }
    }
}

const uint8_t *cpng_pack_row(const uint8_t *source, CPNGLayout layout, CPNGSampleType type, uint8_t *row) {
    if (layout.sample_bytes == 2) {
        pack_words(source, layout, type.color_type, row);
    } else if (type.bit_depth < 8) {
        pack_bits(source, layout.width, type.bit_depth, row);
    } else if (type.color_type == RGB) {
        pack_rgb(source, layout.width, row);
    } else if (type.color_type == GRAY_ALPHA) {
        pack_gray_alpha(source, layout.width, row);
    } else {
        return source;
    }
    return row;
}
