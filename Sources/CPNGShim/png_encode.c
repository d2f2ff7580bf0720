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

// Samples that a pixel of `color_type` takes from the four in memory.
static size_t select_samples(uint8_t color_type, uint8_t selection[4]) {
    switch (color_type) {
    case PNG_COLOR_TYPE_GRAY:
        selection[0] = 0;
        return 1;
    case PNG_COLOR_TYPE_GRAY_ALPHA:
        selection[0] = 0;
        selection[1] = 3;
        return 2;
    case PNG_COLOR_TYPE_RGB:
        selection[0] = 0;
        selection[1] = 1;
        selection[2] = 2;
        return 3;
    default:
        for (uint8_t sample = 0; sample < 4; sample += 1) {
            selection[sample] = sample;
        }
        return 4;
    }
}

// Several pixels a byte, the leftmost in the high bits (PNG 7.2).
static void pack_bits(const Encoder *encoder, const uint8_t *source) {
    const unsigned depth = encoder->form.bit_depth;
    const unsigned step = 255u / ((1u << depth) - 1u);
    memset(encoder->row, 0, ((size_t)encoder->layout.width * depth + 7) / 8);
    for (size_t x = 0; x < encoder->layout.width; x += 1) {
        const size_t bit = x * depth;
        encoder->row[bit / 8] |= (uint8_t)((source[x] / step) << (8u - depth - bit % 8u));
    }
}

static void pack_bytes(const Encoder *encoder, const uint8_t *source) {
    uint8_t selection[4];
    const size_t count = select_samples(encoder->form.color_type, selection);
    const size_t stride = encoder->layout.samples;
    uint8_t *row = encoder->row;
    for (size_t x = 0; x < encoder->layout.width; x += 1) {
        for (size_t sample = 0; sample < count; sample += 1) {
            *row++ = source[x * stride + selection[sample]];
        }
    }
}

// PNG stores 16-bit samples with the high byte first (PNG 7.1).
static void pack_words(const Encoder *encoder, const uint8_t *source) {
    uint8_t selection[4];
    const size_t count = select_samples(encoder->form.color_type, selection);
    const size_t stride = encoder->layout.samples;
    uint8_t *row = encoder->row;
    for (size_t x = 0; x < encoder->layout.width; x += 1) {
        for (size_t sample = 0; sample < count; sample += 1) {
            uint16_t value;
            memcpy(&value, source + (x * stride + selection[sample]) * sizeof value, sizeof value);
            *row++ = (uint8_t)(value >> 8);
            *row++ = (uint8_t)value;
        }
    }
}

// The row that lies at `source`, as the file holds it.
static const uint8_t *packed_row(const Encoder *encoder, const uint8_t *source) {
    if (encoder->layout.sample_bytes == 2) {
        pack_words(encoder, source);
    } else if (encoder->form.bit_depth < 8) {
        pack_bits(encoder, source);
    } else if (encoder->form.color_type == PNG_COLOR_TYPE_GRAY || encoder->form.color_type == PNG_COLOR_TYPE_RGBA) {
        return source;
    } else {
        pack_bytes(encoder, source);
    }
    return encoder->row;
}

static int filters(CPNGFilter filter) {
    switch (filter) {
    case CPNG_FILTER_NONE:
        return PNG_FILTER_NONE;
    case CPNG_FILTER_SUB:
        return PNG_FILTER_SUB;
    case CPNG_FILTER_PAETH:
        return PNG_FILTER_PAETH;
    case CPNG_FILTER_ALL:
        break;
    }
    return PNG_ALL_FILTERS;
}

static void encode(Encoder *encoder) {
    png_structp png = encoder->png;
    png_infop info = encoder->info;
    const CPNGLayout layout = encoder->layout;
    const CPNGForm form = encoder->form;

    png_set_write_fn(png, encoder, append_file, flush_nothing);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_compression_level(png, form.level);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, filters(form.filter));
    // The size of an IDAT chunk; the default of 8 KiB spends 12 bytes on each.
    png_set_compression_buffer_size(png, 262144);
    png_set_IHDR(png, info, layout.width, layout.height, form.bit_depth, form.color_type, PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);

    const size_t row_bytes = (size_t)layout.width * layout.samples * layout.sample_bytes;
    for (uint32_t y = 0; y < layout.height; y += 1) {
        png_write_row(png, packed_row(encoder, encoder->pixels + y * row_bytes));
    }
    png_write_end(png, info);
}

CPNGStatus cpng_encode(const uint8_t *pixels, CPNGLayout layout, CPNGForm form, CPNGBuffer *file, CPNGReport report) {
    cpng_begin_report(&report);
    *file = (CPNGBuffer){NULL, 0};
    Encoder *encoder = calloc(1, sizeof *encoder);
    if (encoder == NULL) {
        return CPNG_NO_MEMORY;
    }
    encoder->pixels = pixels;
    encoder->layout = layout;
    encoder->form = form;
    encoder->report = report;
    encoder->status = CPNG_NO_MEMORY;
    // No form of a row is longer than the one in memory.
    encoder->row = malloc((size_t)layout.width * layout.samples * layout.sample_bytes);
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
