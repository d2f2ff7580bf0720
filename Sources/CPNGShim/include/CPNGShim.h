#pragma once

#include <CPNGRows.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libpng reports errors by longjmp, which must not cross a Swift frame. Each function here sets its own jump target,
// never calls back, and returns a status. A reader or writer serves one thread at a time; after a status other than
// CPNG_DONE it is good for nothing but its release.

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
    /// NULL where it is read from `descriptor`.
    const uint8_t *bytes;
    size_t count;
    int descriptor;
    const CPNGRange *ranges;
    size_t range_count;
} CPNGSource;

/// Decodes `source` into `pixels`, which holds width × height × samples × sample_bytes bytes. Refuses a file whose
/// header does not agree with `layout`.
CPNGStatus cpng_decode(CPNGSource source, CPNGLayout layout, uint8_t *pixels, CPNGReport report);

/// Decodes a file from the top down, as many rows at a time as are asked for.
typedef struct CPNGReader CPNGReader;

/// Makes a reader of `source`, whose bytes or descriptor must stay as long as the reader; NULL without memory.
CPNGReader *cpng_reader_create(CPNGSource source, CPNGLayout layout);

/// Decodes the next `count` rows into `pixels`, and with the last of them what follows; interlaced rows only all at once.
CPNGStatus cpng_reader_rows(CPNGReader *reader, uint8_t *pixels, uint32_t count, CPNGReport report);

/// The errno for which reading from the descriptor failed; 0 where it did not.
int cpng_reader_error_number(const CPNGReader *reader);

void cpng_reader_release(CPNGReader *reader);

/// How hard zlib works: its level, 0 to 9, and the row filter.
typedef struct {
    int level;
    CPNGFilter filter;
} CPNGEffort;

/// Bytes that a writer owns.
typedef struct {
    uint8_t *bytes;
    size_t count;
} CPNGBuffer;

/// Encodes a file from the top down: signature, IHDR, IDAT and IEND.
typedef struct CPNGWriter CPNGWriter;

/// Makes a writer, with `type` as for cpng_pack_row; NULL without memory.
CPNGWriter *cpng_writer_create(CPNGLayout layout, CPNGSampleType type, CPNGEffort effort);

/// Encodes the next `count` rows. On success `written` is what the file grows by, until the next call: the header with
/// the first rows, the end with the last ones, and perhaps nothing between.
CPNGStatus cpng_writer_rows(
    CPNGWriter *writer, const uint8_t *pixels, uint32_t count, CPNGBuffer *written, CPNGReport report);

void cpng_writer_release(CPNGWriter *writer);
