#include "CPNGShim.h"
#include "png_report.h"

#include <errno.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Everything that changes after setjmp lives in here, on the heap, so that its value after a longjmp is defined
// (C11 7.13.2.1).
struct CPNGReader {
    CPNGSource source;
    // The reader's own copy.
    CPNGRange *ranges;
    CPNGLayout layout;
    CPNGReport report;
    // The next byte to hand out.
    size_t range;
    size_t position;
    // What lies at `window_offset` in a file that is not in memory.
    uint8_t *window;
    size_t window_offset;
    size_t window_count;
    // Why the file could not be read; 0 where it could.
    int error_number;
    bool has_begun;
    bool has_palette;
    bool is_beyond_palette;
    int passes;
    uint32_t next_row;
    png_structp png;
    png_infop info;
};

static const size_t window_capacity = 262144;

// Brings what lies at `offset` into the window.
static void fill_window(CPNGReader *reader, size_t offset) {
    reader->window_count = 0;
    ssize_t count;
    do {
        count = pread(reader->source.descriptor, reader->window, window_capacity, (off_t)offset);
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        reader->error_number = errno;
        png_error(reader->png, "the file cannot be read");
    }
    if (count == 0) {
        png_error(reader->png, "the file ends too early");
    }
    reader->window_offset = offset;
    reader->window_count = (size_t)count;
}

// Copies at most `count` bytes of the file from `offset` on; returns how many.
static size_t copy_file(CPNGReader *reader, uint8_t *destination, size_t offset, size_t count) {
    if (reader->source.bytes != NULL) {
        memcpy(destination, reader->source.bytes + offset, count);
        return count;
    }
    if (offset < reader->window_offset || offset >= reader->window_offset + reader->window_count) {
        fill_window(reader, offset);
    }
    const size_t skipped = offset - reader->window_offset;
    if (count > reader->window_count - skipped) {
        count = reader->window_count - skipped;
    }
    memcpy(destination, reader->window + skipped, count);
    return count;
}

static void read_source(png_structp png, png_bytep destination, size_t count) {
    CPNGReader *reader = png_get_io_ptr(png);
    const CPNGSource *source = &reader->source;
    while (count > 0) {
        if (reader->range >= source->range_count) {
            png_error(png, "the chunks end too early");
        }
        const CPNGRange range = reader->ranges[reader->range];
        if (range.offset > source->count || range.count > source->count - range.offset) {
            png_error(png, "a chunk lies outside the file");
        }
        if (reader->position == range.count) {
            reader->range += 1;
            reader->position = 0;
            continue;
        }
        const size_t left = range.count - reader->position;
        const size_t part =
            copy_file(reader, destination, range.offset + reader->position, left < count ? left : count);
        reader->position += part;
        destination += part;
        count -= part;
    }
}

// Only chunks that make up the pixels arrive, so damage in any of them is an error, and nothing in the file can make
// libpng allocate more than rows and a palette.
static void set_limits(png_structp png, CPNGLayout layout) {
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_user_limits(png, layout.width, layout.height);
    png_set_chunk_malloc_max(png, 8000000);
    png_set_chunk_cache_max(png, 1);
}

// Brings every kind of PNG into one of the two layouts.
static void set_transforms(png_structp png, png_infop info) {
    const int color_type = png_get_color_type(png, info);
    const int bit_depth = png_get_bit_depth(png, info);
    const bool has_key = png_get_valid(png, info, PNG_INFO_tRNS) != 0;

    if (color_type == PNG_COLOR_TYPE_PALETTE) {
        // One index a byte; expand_palette does the rest. It looks at every index, which libpng does not in all
        // depths.
        png_set_packing(png);
        png_set_check_for_invalid_index(png, 0);
        return;
    }
    if (color_type == PNG_COLOR_TYPE_GRAY && bit_depth < 8) {
        // By repeating bits, which is exact: ×255, ×85, ×17 (PNG 13.12).
        png_set_expand_gray_1_2_4_to_8(png);
    }
    if (has_key) {
        png_set_tRNS_to_alpha(png);
    }
    if (color_type == PNG_COLOR_TYPE_GRAY_ALPHA || (color_type == PNG_COLOR_TYPE_GRAY && has_key)) {
        png_set_gray_to_rgb(png);
    }
    if (color_type == PNG_COLOR_TYPE_RGB && !has_key) {
        png_set_add_alpha(png, 0xffff, PNG_FILLER_AFTER);
    }
    if (bit_depth == 16 && cpng_is_little_endian()) {
        png_set_swap(png);
    }
}

// libpng would expand palettes too, but then passes silently over indices that the palette does not have. The
// indices lie in the last quarter of the pixels: each is read before a pixel reaches it.
static void expand_palette(CPNGReader *reader, uint8_t *pixels, size_t area) {
    png_colorp colors = NULL;
    int color_count = 0;
    png_bytep alphas = NULL;
    int alpha_count = 0;
    png_get_PLTE(reader->png, reader->info, &colors, &color_count);
    png_get_tRNS(reader->png, reader->info, &alphas, &alpha_count, NULL);

    uint8_t *pixel = pixels;
    for (size_t i = 0; i < area; i += 1, pixel += 4) {
        const int index = pixels[3 * area + i];
        const bool is_known = index < color_count;
        reader->is_beyond_palette |= !is_known;
        // Black, as most readers have it.
        pixel[0] = is_known ? colors[index].red : 0;
        pixel[1] = is_known ? colors[index].green : 0;
        pixel[2] = is_known ? colors[index].blue : 0;
        pixel[3] = index < alpha_count ? alphas[index] : 255;
    }
}

static void begin(CPNGReader *reader) {
    png_structp png = reader->png;
    png_infop info = reader->info;
    const CPNGLayout layout = reader->layout;

    png_set_read_fn(png, reader, read_source);
    set_limits(png, layout);
    png_read_info(png, info);
    set_transforms(png, info);
    reader->passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);

    reader->has_palette = png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE;
    const size_t pixel_bytes = (size_t)layout.samples * layout.sample_bytes;
    const size_t row_bytes = layout.width * (reader->has_palette ? 1 : pixel_bytes);
    if (png_get_image_width(png, info) != layout.width || png_get_image_height(png, info) != layout.height
        || png_get_rowbytes(png, info) != row_bytes || (reader->has_palette && pixel_bytes != 4)) {
        png_error(png, "the header does not agree with the layout asked for");
    }
    reader->has_begun = true;
}

static void read_rows(CPNGReader *reader, uint8_t *pixels, uint32_t count) {
    png_structp png = reader->png;
    const CPNGLayout layout = reader->layout;
    if (!reader->has_begun) {
        begin(reader);
    }
    if (count > layout.height - reader->next_row || (reader->passes > 1 && count != layout.height)) {
        png_error(png, "there are no such rows, or they are interlaced");
    }
    const size_t row_bytes = png_get_rowbytes(png, reader->info);
    uint8_t *rows = pixels;
    if (reader->has_palette) {
        rows += (size_t)3 * count * row_bytes;
    }
    for (int pass = 0; pass < reader->passes; pass += 1) {
        for (uint32_t y = 0; y < count; y += 1) {
            png_read_row(png, rows + y * row_bytes, NULL);
        }
    }
    if (reader->has_palette) {
        expand_palette(reader, pixels, (size_t)layout.width * count);
    }
    reader->next_row += count;
    if (reader->next_row == layout.height) {
        png_read_end(png, NULL);
        if (reader->is_beyond_palette) {
            png_warning(png, "pixels without a color in the palette became black");
        }
    }
}

static bool prepare(CPNGReader *reader) {
    const CPNGSource *source = &reader->source;
    reader->ranges = calloc(source->range_count, sizeof *reader->ranges);
    reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader->report, cpng_fail, cpng_warn);
    if (reader->ranges == NULL || reader->png == NULL) {
        return false;
    }
    memcpy(reader->ranges, source->ranges, source->range_count * sizeof *reader->ranges);
    reader->info = png_create_info_struct(reader->png);
    if (source->bytes == NULL) {
        reader->window = malloc(window_capacity);
    }
    return reader->info != NULL && (source->bytes != NULL || reader->window != NULL);
}

CPNGReader *cpng_reader_create(CPNGSource source, CPNGLayout layout) {
    CPNGReader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) {
        return NULL;
    }
    reader->source = source;
    reader->layout = layout;
    if (!prepare(reader)) {
        cpng_reader_release(reader);
        return NULL;
    }
    return reader;
}

CPNGStatus cpng_reader_rows(CPNGReader *reader, uint8_t *pixels, uint32_t count, CPNGReport report) {
    cpng_begin_report(&report);
    reader->report = report;
    if (setjmp(png_jmpbuf(reader->png)) != 0) {
        return CPNG_REFUSED;
    }
    read_rows(reader, pixels, count);
    return CPNG_DONE;
}

int cpng_reader_error_number(const CPNGReader *reader) {
    return reader->error_number;
}

void cpng_reader_release(CPNGReader *reader) {
    png_destroy_read_struct(&reader->png, &reader->info, NULL);
    free(reader->window);
    free(reader->ranges);
    free(reader);
}

CPNGStatus cpng_decode(CPNGSource source, CPNGLayout layout, uint8_t *pixels, CPNGReport report) {
    cpng_begin_report(&report);
    CPNGReader *reader = cpng_reader_create(source, layout);
    if (reader == NULL) {
        return CPNG_NO_MEMORY;
    }
    const CPNGStatus status = cpng_reader_rows(reader, pixels, layout.height, report);
    cpng_reader_release(reader);
    return status;
}
