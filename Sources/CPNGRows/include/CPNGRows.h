#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Rows of pixels between a PNG file and memory: bits packed, samples laid out, filters done and undone. Nothing
// here holds more than two rows, but for the 0.6 MB of a deflater.

/// Rows without padding, top down. Grey takes one sample a pixel and everything else four (red, green, blue, alpha);
/// 16-bit samples are in host order.
typedef struct {
    uint32_t width;
    uint32_t height;
    /// 1 or 4.
    uint32_t samples;
    /// 1 or 2.
    uint32_t sample_bytes;
} CPNGLayout;

/// How the pixels lie in the file.
typedef struct {
    /// PNG's: 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA.
    uint8_t color_type;
    /// 8 or 16; for a palette 1, 2, 4 or 8, and for grey all five.
    uint8_t bit_depth;
} CPNGSampleType;

/// The bytes of a row as it lies in the file, without its filter byte.
size_t cpng_row_bytes(CPNGSampleType type, uint32_t width);

/// The functions that are compiled for a set of instructions. All levels make the same bytes.
typedef struct CPNGLevel CPNGLevel;

/// Level `number` of those that this processor has, the fastest first; NULL beyond the last.
const CPNGLevel *cpng_level(size_t number);

const char *cpng_level_name(const CPNGLevel *level);

/// The data of PLTE and tRNS as they stand in the file; NULL and 0 where the file has none.
typedef struct {
    const uint8_t *palette;
    size_t palette_count;
    const uint8_t *transparency;
    size_t transparency_count;
} CPNGColors;

typedef enum {
    CPNG_ROWS_DONE = 0,
    /// Pixels without a color in the palette became black.
    CPNG_ROWS_BEYOND_PALETTE,
    /// A filter that PNG does not have, or a transparent colour that the bit depth does not have.
    CPNG_ROWS_UNUSUAL,
} CPNGRowsStatus;

/// What must be readable behind the rows that cpng_unpack_rows is given.
static const size_t cpng_slack_bytes = 8;

/// Undoes the filters of all rows, in place, and lays the pixels out. `rows` holds the filter byte and the bytes of
/// each row, and `cpng_slack_bytes` that are never used behind the last; `pixels` is as large as `layout`, which must
/// agree with `type` and `colors`.
CPNGRowsStatus cpng_unpack_rows(
    const CPNGLevel *level, uint8_t *rows, CPNGSampleType type, CPNGColors colors, CPNGLayout layout, uint8_t *pixels);

/// The row filters of PNG by their numbers, and the choice among them.
typedef enum {
    CPNG_FILTER_NONE = 0,
    CPNG_FILTER_SUB,
    CPNG_FILTER_UP,
    CPNG_FILTER_AVERAGE,
    CPNG_FILTER_PAETH,
    /// For each row the one with the smallest sum of differences (PNG 12.7).
    CPNG_FILTER_ALL,
} CPNGFilter;

/// Brings a row of `layout` into `type`: drops what the file does not store, packs bits, puts the high byte first.
/// `type` is no palette, and of a depth that holds every sample exactly. Returns the row, which is `source` itself
/// where the two are the same, and else lies in `row`, of cpng_row_bytes.
const uint8_t *cpng_pack_row(const uint8_t *source, CPNGLayout layout, CPNGSampleType type, uint8_t *row);

/// Packs and filters the rows of a picture, some at a time, from the top down.
typedef struct CPNGRowFilter CPNGRowFilter;

/// Makes a filter for rows of `layout`, whose height does not matter, with `type` as for cpng_pack_row; NULL without
/// memory for two rows.
CPNGRowFilter *cpng_row_filter_create(
    const CPNGLevel *level, CPNGLayout layout, CPNGSampleType type, CPNGFilter filter);

void cpng_row_filter_release(CPNGRowFilter *filter);

/// Brings the next `count` rows into `out`, which holds a filter byte and cpng_row_bytes for each.
void cpng_filter_rows(CPNGRowFilter *filter, const uint8_t *pixels, size_t count, uint8_t *out);

/// The stream of deflate (RFC 1951) of a picture's filtered rows, made block by block.
typedef struct CPNGDeflater CPNGDeflater;

/// The most bytes of a block. Its rows, what they become and its tables fit into the cache of one core.
static const size_t cpng_block_bytes = 1 << 18;

/// The most bytes that a block of `count` takes while it is made; at the end it is at most 5 bytes in 65535 longer than
/// its rows, and one byte.
static inline size_t cpng_deflate_bound(size_t count) {
    return 2 * count + 1024;
}

/// Makes the memory of a stream, for one after another; NULL if there is none.
CPNGDeflater *cpng_deflater_create(void);

void cpng_deflater_release(CPNGDeflater *deflater);

/// Begins a stream.
void cpng_deflater_begin(CPNGDeflater *deflater);

/// Writes the next block of a stream, of 1 to cpng_block_bytes, to `out`, which holds cpng_deflate_bound of them, and
/// returns the number of bytes. Bits that do
/// not fill a byte wait for the next block; the last one fills its byte.
size_t cpng_deflate_block(
    CPNGDeflater *deflater, const CPNGLevel *level, const uint8_t *bytes, size_t count, bool is_last, uint8_t *out);
