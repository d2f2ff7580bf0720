#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Rows of pixels between a PNG file and memory: bits packed, samples laid out, filters done and undone. No function
// here allocates more than three rows, and none keeps anything.

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

/// Undoes the filters of all rows, in place, and lays the pixels out. `rows` holds the filter byte and the bytes of each
/// row, and `cpng_slack_bytes` that are never used behind the last; `pixels` is as large as `layout`, which must agree
/// with `type` and `colors`.
CPNGRowsStatus cpng_unpack_rows(
    uint8_t *rows, CPNGSampleType type, CPNGColors colors, CPNGLayout layout, uint8_t *pixels);

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
/// `type` is no palette, and of a depth that holds every sample exactly. Returns the row, which is `source` itself where
/// the two are the same, and else lies in `row`, of cpng_row_bytes.
const uint8_t *cpng_pack_row(const uint8_t *source, CPNGLayout layout, CPNGSampleType type, uint8_t *row);

/// Packs and filters all rows into `rows`, which holds a filter byte and cpng_row_bytes for each. False without memory
/// for three rows.
bool cpng_pack_rows(const uint8_t *pixels, CPNGLayout layout, CPNGSampleType type, CPNGFilter filter, uint8_t *rows);
