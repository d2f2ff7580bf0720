#pragma once

#include "deflate.h"
#include "stagger.h"

/// The functions that are compiled for several sets of instructions. All make the same bytes.
struct CPNGLevel {
    /// The set of instructions, such as `avx2`.
    const char *name;
    /// Brings a row into the file's `type`, as cpng_pack_row does, always into `row`, which has room for 16 bytes more.
    void (*pack_row)(const uint8_t *source, size_t width, CPNGSampleType type, uint8_t *row);
    /// Filters `count` bytes in pixels of `step` bytes (PNG 9.2). As many bytes before both rows can be read, and are
    /// 0.
    void (*filter_row)(
        CPNGFilter filter, const uint8_t *row, const uint8_t *above, size_t count, size_t step, uint8_t *out);
    /// Adds filtered bytes up as distances from zero.
    size_t (*sum_of_differences)(const uint8_t *bytes, size_t count);
    /// Undoes the filters of eight rows of pixels of `step` bytes: of 3, which get a fourth of 255, or of 4, 6 or 8.
    void (*unfilter_eight)(const StaggeredRows *rows, const uint8_t *filters, size_t step);
    /// Writes tokens of `bytes`, and the end of the block.
    void (*put_tokens)(Writer *writer, const uint8_t *bytes, const Token *tokens, size_t count, const Code *code);
};
