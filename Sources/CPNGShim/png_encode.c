#include "CPNGShim.h"
#include "png_report.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

// Everything that changes after setjmp lives in here, on the heap, so that its value after a longjmp is defined
// (C11 7.13.2.1).
typedef struct {
    const uint8_t *pixels;
    CPNGLayout layout;
    CPNGForm form;
    CPNGEffort effort;
    CPNGReport report;
    CPNGBuffer file;
    size_t capacity;
    // One row as the file holds it.
    uint8_t *row;
    png_structp png;
    png_infop info;
    CPNGStatus status;
} Encoder;

static void append_file(png_structp png, png_bytep bytes, size_t count) {
    Encoder *encoder = png_get_io_ptr(png);
    if (count > encoder->capacity - encoder->file.count) {
        size_t capacity = encoder->capacity < 65536 ? 65536 : encoder->capacity;
        while (capacity - encoder->file.count < count) {
            if (capacity > SIZE_MAX / 2) {
                png_error(png, "the file is larger than memory");
            }
            capacity *= 2;
        }
        uint8_t *grown = realloc(encoder->file.bytes, capacity);
        if (grown == NULL) {
            encoder->status = CPNG_NO_MEMORY;
            png_error(png, "no memory for the encoded file");
        }
        encoder->file.bytes = grown;
        encoder->capacity = capacity;
    }
    memcpy(encoder->file.bytes + encoder->file.count, bytes, count);
    encoder->file.count += count;
}

static void flush_nothing(png_structp png) {
    (void)png;
}

static int filters(CPNGFilter filter) {
    return filter == CPNG_FILTER_ALL ? PNG_ALL_FILTERS : PNG_FILTER_NONE << filter;
}

static void encode(Encoder *encoder) {
    png_structp png = encoder->png;
    png_infop info = encoder->info;
    const CPNGLayout layout = encoder->layout;
    const CPNGForm form = encoder->form;

    png_set_write_fn(png, encoder, append_file, flush_nothing);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_compression_level(png, encoder->effort.level);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, filters(encoder->effort.filter));
    // The size of an IDAT chunk; the default of 8 KiB spends 12 bytes on each.
    png_set_compression_buffer_size(png, 262144);
    png_set_IHDR(png, info, layout.width, layout.height, form.bit_depth, form.color_type, PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);

    const size_t row_bytes = (size_t)layout.width * layout.samples * layout.sample_bytes;
    for (uint32_t y = 0; y < layout.height; y += 1) {
        png_write_row(png, cpng_pack_row(encoder->pixels + y * row_bytes, layout, form, encoder->row));
    }
    png_write_end(png, info);
}

CPNGStatus cpng_encode(
    const uint8_t *pixels, CPNGLayout layout, CPNGForm form, CPNGEffort effort, CPNGBuffer *file, CPNGReport report) {
    cpng_begin_report(&report);
    *file = (CPNGBuffer){NULL, 0};
    Encoder *encoder = calloc(1, sizeof *encoder);
    if (encoder == NULL) {
        return CPNG_NO_MEMORY;
    }
    encoder->pixels = pixels;
    encoder->layout = layout;
    encoder->form = form;
    encoder->effort = effort;
    encoder->report = report;
    encoder->status = CPNG_NO_MEMORY;
    encoder->row = malloc(cpng_row_bytes(form, layout.width));
    encoder->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &encoder->report, cpng_fail, cpng_warn);
    if (encoder->png != NULL) {
        encoder->info = png_create_info_struct(encoder->png);
    }
    if (encoder->info != NULL && encoder->row != NULL) {
        encoder->status = CPNG_REFUSED;
        if (setjmp(png_jmpbuf(encoder->png)) == 0) {
            encode(encoder);
            encoder->status = CPNG_DONE;
        }
    }
    const CPNGStatus status = encoder->status;
    if (status == CPNG_DONE) {
        *file = encoder->file;
    } else {
        free(encoder->file.bytes);
    }
    png_destroy_write_struct(&encoder->png, &encoder->info);
    free(encoder->row);
    free(encoder);
    return status;
}

void cpng_release(CPNGBuffer *buffer) {
    free(buffer->bytes);
    *buffer = (CPNGBuffer){NULL, 0};
}
