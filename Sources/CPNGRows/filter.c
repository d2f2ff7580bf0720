#include "CPNGRows.h"
#include "color_type.h"
#include "levels.h"

#include <stdlib.h>

// Bytes around a row: filters read a pixel before it, which is zero (PNG 9.2), and packing writes beyond its end.
enum { margin = 64 };

struct CPNGRowFilter {
    const CPNGLevel *level;
    size_t width;
    CPNGSampleType type;
    CPNGFilter filter;
    size_t row_bytes;
    size_t source_bytes;
    // The row, and the one above it.
    uint8_t *row;
    uint8_t *above;
    uint8_t *memory;
};

CPNGRowFilter *cpng_row_filter_create(
    const CPNGLevel *level, CPNGLayout layout, CPNGSampleType type, CPNGFilter filter) {
    CPNGRowFilter *made = malloc(sizeof *made);
    const size_t row_bytes = cpng_row_bytes(type, layout.width);
    // Above the first row there are zeros, too.
    uint8_t *memory = calloc(2, row_bytes + 2 * margin);
    if (made == NULL || memory == NULL) {
        free(made);
        free(memory);
        return NULL;
    }
    *made = (CPNGRowFilter){
        .level = level,
        .width = layout.width,
        .type = type,
        .filter = filter,
        .row_bytes = row_bytes,
        .source_bytes = (size_t)layout.width * layout.samples * layout.sample_bytes,
        .row = memory + margin,
        .above = memory + row_bytes + 3 * margin,
        .memory = memory,
    };
    return made;
}

void cpng_row_filter_release(CPNGRowFilter *filter) {
    free(filter->memory);
    free(filter);
}

// The filter whose differences are smallest, as small ones compress well (PNG 12.7).
static CPNGFilter best_filter(const CPNGRowFilter *rows, size_t step, uint8_t *out) {
    CPNGFilter best = CPNG_FILTER_NONE;
    size_t smallest = SIZE_MAX;
    for (CPNGFilter filter = CPNG_FILTER_NONE; filter <= CPNG_FILTER_PAETH; filter += 1) {
        rows->level->filter_row(filter, rows->row, rows->above, rows->row_bytes, step, out);
        const size_t sum = rows->level->sum_of_differences(out, rows->row_bytes);
        if (sum < smallest) {
            smallest = sum;
            best = filter;
        }
    }
    return best;
}

void cpng_filter_rows(CPNGRowFilter *rows, const uint8_t *pixels, size_t count, uint8_t *out) {
    const size_t step = filter_step(rows->type.color_type, rows->type.bit_depth);
    for (; count > 0; count -= 1, pixels += rows->source_bytes, out += rows->row_bytes + 1) {
        rows->level->pack_row(pixels, rows->width, rows->type, rows->row);
        const CPNGFilter filter = rows->filter == CPNG_FILTER_ALL ? best_filter(rows, step, out + 1) : rows->filter;
        out[0] = (uint8_t)filter;
        rows->level->filter_row(filter, rows->row, rows->above, rows->row_bytes, step, out + 1);
        uint8_t *above = rows->above;
        rows->above = rows->row;
        rows->row = above;
    }
}
