#pragma once

#include <CPNGRows.h>
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

/// Decodes `source` into `pixels`, which holds width × height × samples × sample_bytes bytes. Refuses a file whose
/// header does not agree with `layout`.
CPNGStatus cpng_decode(CPNGSource source, CPNGLayout layout, uint8_t *pixels, CPNGReport report);

/// How hard zlib works: its level, 0 to 9, and the row filter.
typedef struct {
    int level;
    CPNGFilter filter;
} CPNGEffort;

/// Bytes that the shim allocated.
typedef struct {
    uint8_t *bytes;
    size_t count;
} CPNGBuffer;

/// Encodes `pixels` as signature, IHDR, IDAT and IEND; `form` is as for cpng_pack_row. On success `file` owns the bytes
/// until cpng_release; otherwise it is empty.
CPNGStatus cpng_encode(
    const uint8_t *pixels, CPNGLayout layout, CPNGForm form, CPNGEffort effort, CPNGBuffer *file, CPNGReport report);

/// Frees what cpng_encode allocated and empties `buffer`.
void cpng_release(CPNGBuffer *buffer);
