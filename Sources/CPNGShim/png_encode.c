#include "CPNGShim.h"
#include "png_report.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

// Everything that changes after setjmp lives in here, on the heap, so that its value after a longjmp is defined
// (C11 7.13.2.1).
struct CPNGWriter {
    CPNGLayout layout;
    CPNGSampleType type;
    CPNGEffort effort;
    CPNGReport report;
    // What the last rows became.
    CPNGBuffer written;
    size_t capacity;
    // One row as the file holds it.
    uint8_t *row;
    uint32_t next_row;
    CPNGStatus status;
    png_structp png;
    png_infop info;
};

static void append_written(png_structp png, png_bytep bytes, size_t count) {
    CPNGWriter *writer = png_get_io_ptr(png);
    if (count > writer->capacity - writer->written.count) {
        size_t capacity = writer->capacity < 65536 ? 65536 : writer->capacity;
        while (capacity - writer->written.count < count) {
            if (capacity > SIZE_MAX / 2) {
                png_error(png, "the file is larger than memory");
            }
            capacity *= 2;
        }
        uint8_t *grown = realloc(writer->written.bytes, capacity);
        if (grown == NULL) {
            writer->status = CPNG_NO_MEMORY;
            png_error(png, "no memory for the encoded file");
        }
        writer->written.bytes = grown;
        writer->capacity = capacity;
    }
    memcpy(writer->written.bytes + writer->written.count, bytes, count);
    writer->written.count += count;
}

static void flush_nothing(png_structp png) {
    (void)png;
}

static int filters(CPNGFilter filter) {
    return filter == CPNG_FILTER_ALL ? PNG_ALL_FILTERS : PNG_FILTER_NONE << filter;
}

static void begin(CPNGWriter *writer) {
    png_structp png = writer->png;
    png_infop info = writer->info;
    const CPNGLayout layout = writer->layout;
    const CPNGSampleType type = writer->type;

    png_set_write_fn(png, writer, append_written, flush_nothing);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_compression_level(png, writer->effort.level);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, filters(writer->effort.filter));
    // The size of an IDAT chunk; the default of 8 KiB spends 12 bytes on each.
    png_set_compression_buffer_size(png, 262144);
    png_set_IHDR(png, info, layout.width, layout.height, type.bit_depth, type.color_type, PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
}

static void write_rows(CPNGWriter *writer, const uint8_t *pixels, uint32_t count) {
    const CPNGLayout layout = writer->layout;
    if (count > layout.height - writer->next_row) {
        png_error(writer->png, "there are no such rows");
    }
    if (writer->next_row == 0) {
        begin(writer);
    }
    const size_t row_bytes = (size_t)layout.width * layout.samples * layout.sample_bytes;
    for (uint32_t y = 0; y < count; y += 1) {
        png_write_row(writer->png, cpng_pack_row(pixels + y * row_bytes, layout, writer->type, writer->row));
    }
    writer->next_row += count;
    if (writer->next_row == layout.height) {
        png_write_end(writer->png, writer->info);
    }
}

CPNGWriter *cpng_writer_create(CPNGLayout layout, CPNGSampleType type, CPNGEffort effort) {
    CPNGWriter *writer = calloc(1, sizeof *writer);
    if (writer == NULL) {
        return NULL;
    }
    writer->layout = layout;
    writer->type = type;
    writer->effort = effort;
    writer->row = malloc(cpng_row_bytes(type, layout.width));
    writer->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer->report, cpng_fail, cpng_warn);
    if (writer->png != NULL) {
        writer->info = png_create_info_struct(writer->png);
    }
    if (writer->info == NULL || writer->row == NULL) {
        cpng_writer_release(writer);
        return NULL;
    }
    return writer;
}

CPNGStatus cpng_writer_rows(
    CPNGWriter *writer, const uint8_t *pixels, uint32_t count, CPNGBuffer *written, CPNGReport report) {
    cpng_begin_report(&report);
    writer->report = report;
    writer->written.count = 0;
    writer->status = CPNG_REFUSED;
    *written = (CPNGBuffer){NULL, 0};
    if (setjmp(png_jmpbuf(writer->png)) == 0) {
        write_rows(writer, pixels, count);
        writer->status = CPNG_DONE;
        *written = writer->written;
    }
    return writer->status;
}

void cpng_writer_release(CPNGWriter *writer) {
    png_destroy_write_struct(&writer->png, &writer->info);
    free(writer->written.bytes);
    free(writer->row);
    free(writer);
}
