#include "CPNGShim.h"
#include "png_report.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

// Everything that changes after setjmp lives in here, on the heap, so that its value after a longjmp is defined
// (C11 7.13.2.1).
typedef struct {
    CPNGSource source;
    CPNGLayout layout;
    CPNGReport report;
    uint8_t *pixels;
    // The next byte to hand out.
    size_t range;
    size_t position;
    png_structp png;
    png_infop info;
    CPNGStatus status;
} Decoder;

static void read_source(png_structp png, png_bytep destination, size_t count) {
    Decoder *decoder = png_get_io_ptr(png);
    const CPNGSource *source = &decoder->source;
    while (count > 0) {
        if (decoder->range >= source->range_count) {
            png_error(png, "the chunks end too early");
        }
        const CPNGRange range = source->ranges[decoder->range];
        if (range.offset > source->count || range.count > source->count - range.offset) {
            png_error(png, "a chunk lies outside the file");
        }
        if (decoder->position == range.count) {
            decoder->range += 1;
            decoder->position = 0;
            continue;
        }
        size_t part = range.count - decoder->position;
        if (part > count) {
            part = count;
        }
        memcpy(destination, source->bytes + range.offset + decoder->position, part);
        decoder->position += part;
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
static void expand_palette(Decoder *decoder) {
    png_colorp colors = NULL;
    int color_count = 0;
    png_bytep alphas = NULL;
    int alpha_count = 0;
    png_get_PLTE(decoder->png, decoder->info, &colors, &color_count);
    png_get_tRNS(decoder->png, decoder->info, &alphas, &alpha_count, NULL);

    const size_t area = (size_t)decoder->layout.width * decoder->layout.height;
    uint8_t *pixel = decoder->pixels;
    bool is_beyond = false;
    for (size_t i = 0; i < area; i += 1, pixel += 4) {
        const int index = decoder->pixels[3 * area + i];
        const bool is_known = index < color_count;
        is_beyond |= !is_known;
        // Black, as most readers have it.
        pixel[0] = is_known ? colors[index].red : 0;
        pixel[1] = is_known ? colors[index].green : 0;
        pixel[2] = is_known ? colors[index].blue : 0;
        pixel[3] = index < alpha_count ? alphas[index] : 255;
    }
    if (is_beyond) {
        png_warning(decoder->png, "pixels without a colour in the palette became black");
    }
}

static void decode(Decoder *decoder) {
    png_structp png = decoder->png;
    png_infop info = decoder->info;
    const CPNGLayout layout = decoder->layout;

    png_set_read_fn(png, decoder, read_source);
    set_limits(png, layout);
    png_read_info(png, info);
    set_transforms(png, info);
    const int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);

    const bool has_palette = png_get_color_type(png, info) == PNG_COLOR_TYPE_PALETTE;
    const size_t pixel_bytes = has_palette ? 1 : (size_t)layout.samples * layout.sample_bytes;
    const size_t row_bytes = layout.width * pixel_bytes;
    if (png_get_image_width(png, info) != layout.width || png_get_image_height(png, info) != layout.height
        || png_get_rowbytes(png, info) != row_bytes || (has_palette && layout.samples * layout.sample_bytes != 4)) {
        png_error(png, "the header does not agree with the layout asked for");
    }
    uint8_t *rows = decoder->pixels;
    if (has_palette) {
        rows += 3 * layout.height * row_bytes;
    }
    for (int pass = 0; pass < passes; pass += 1) {
        for (uint32_t y = 0; y < layout.height; y += 1) {
            png_read_row(png, rows + y * row_bytes, NULL);
        }
    }
    png_read_end(png, NULL);
    if (has_palette) {
        expand_palette(decoder);
    }
}

CPNGStatus cpng_decode(CPNGSource source, CPNGLayout layout, uint8_t *pixels, CPNGReport report) {
    cpng_begin_report(&report);
    Decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) {
        return CPNG_NO_MEMORY;
    }
    decoder->source = source;
    decoder->layout = layout;
    decoder->report = report;
    decoder->pixels = pixels;
    decoder->status = CPNG_NO_MEMORY;
    decoder->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoder->report, cpng_fail, cpng_warn);
    if (decoder->png != NULL) {
        decoder->info = png_create_info_struct(decoder->png);
    }
    if (decoder->info != NULL) {
        decoder->status = CPNG_REFUSED;
        if (setjmp(png_jmpbuf(decoder->png)) == 0) {
            decode(decoder);
            decoder->status = CPNG_DONE;
        }
    }
    const CPNGStatus status = decoder->status;
    png_destroy_read_struct(&decoder->png, &decoder->info, NULL);
    free(decoder);
    return status;
}
