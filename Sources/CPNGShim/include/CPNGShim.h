#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libpng reports errors by longjmp, which must not cross a Swift frame. Each function here is one whole operation from
// memory to memory: it sets its own jump target, never calls back, and returns a status.

typedef enum {
    CPNG_DONE = 0,
    /// libpng refused; its reason is in `message`.
    CPNG_REFUSED,
    /// No memory for libpng's own state.
    CPNG_NO_MEMORY,
} CPNGStatus;

/// Where texts for people go; both are always terminated, and cut where they do not fit.
typedef struct {
    /// Why the operation was refused.
    char *message;
    size_t message_capacity;
    /// What libpng tolerated, one remark a line.
    char *warnings;
    size_t warnings_capacity;
} CPNGReport;

/// A stretch of the file.
typedef struct {
    size_t offset;
    size_t count;
} CPNGRange;

/// The file as libpng is to see it: the signature and the chunks that make up the pixels, the others left out.
typedef struct {
    const uint8_t *bytes;
    size_t count;
    const CPNGRange *ranges;
    size_t range_count;
} CPNGSource;

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

/// Decodes `source` into `pixels`, which holds width × height × samples × sample_bytes bytes. Refuses a file whose
/// header does not agree with `layout`.
CPNGStatus cpng_decode(CPNGSource source, CPNGLayout layout, uint8_t *pixels, CPNGReport report);

/// The row filters that the encoder may choose from.
typedef enum {
    CPNG_FILTER_NONE = 0,
    CPNG_FILTER_SUB,
    CPNG_FILTER_PAETH,
    /// Every row takes the one that libpng's heuristic prefers.
    CPNG_FILTER_ALL,
} CPNGFilter;

/// How the pixels are to lie in the file.
typedef struct {
    /// PNG's: 0 grey, 2 RGB, 4 grey and alpha, 6 RGBA.
    uint8_t color_type;
    /// 8 or 16, and 1, 2 or 4 for a grey picture of 8-bit samples that are all levels of that depth.
    uint8_t bit_depth;
    /// zlib's, 0 to 9.
    int level;
    CPNGFilter filter;
} CPNGForm;

/// Bytes that the shim allocated.
typedef struct {
    uint8_t *bytes;
    size_t count;
} CPNGBuffer;

/// Encodes `pixels` as signature, IHDR, IDAT and IEND. On success `file` owns the bytes until cpng_release; otherwise
/// it is empty.
CPNGStatus cpng_encode(const uint8_t *pixels, CPNGLayout layout, CPNGForm form, CPNGBuffer *file, CPNGReport report);

/// Frees what cpng_encode allocated and empties `buffer`.
void cpng_release(CPNGBuffer *buffer);
