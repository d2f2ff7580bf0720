#include "unfilter.h"

#include "CPNGRows.h"
#include "inline.h"
#include "vectors.h"

// One pixel after the other, for each needs the one before it; the samples of a pixel together. The steps are
// constants where these are called, so that each becomes a loop of its own.

static const Words opaque = {0, 0, 0, 255};

INLINE void put(uint8_t *out, Words pixel, size_t step, size_t out_step) {
    store(out, step == out_step ? pixel : pixel | opaque, out_step);
}

INLINE void undo_none(uint8_t *out, const uint8_t *in, size_t count, size_t step, size_t out_step) {
    if (step == out_step) {
        memmove(out, in, count * step);
        return;
    }
    for (size_t i = 0; i < count; i += 1, in += step, out += out_step) {
        uint32_t pixel;
        memcpy(&pixel, in, sizeof pixel);
        memcpy(out, &pixel, sizeof pixel);
        out[3] = 255;
    }
}

INLINE void undo_sub(uint8_t *out, const uint8_t *in, size_t count, size_t step, size_t out_step) {
    Words left = {0};
    for (size_t i = 0; i < count; i += 1, in += step, out += out_step) {
        left = add(left, load(in, step));
        put(out, left, step, out_step);
    }
}

INLINE void undo_up(
    uint8_t *out, const uint8_t *in, const uint8_t *above, size_t count, size_t step, size_t out_step) {
    if (step == out_step) {
        for (size_t i = 0; i < count * step; i += 1) {
            out[i] = (uint8_t)(in[i] + above[i]);
        }
        return;
    }
    for (size_t i = 0; i < count; i += 1, in += step, out += out_step, above += out_step) {
        put(out, add(load(in, step), load(above, out_step)), step, out_step);
    }
}

INLINE void undo_average(
    uint8_t *out, const uint8_t *in, const uint8_t *above, size_t count, size_t step, size_t out_step) {
    Words left = {0};
    for (size_t i = 0; i < count; i += 1, in += step, out += out_step) {
        const Words up = above == NULL ? (Words){0} : load(above + i * out_step, out_step);
        left = add(average(left, up), load(in, step));
        put(out, left, step, out_step);
    }
}

INLINE void undo_paeth(
    uint8_t *out, const uint8_t *in, const uint8_t *above, size_t count, size_t step, size_t out_step) {
    Words left = {0};
    Words corner = {0};
    for (size_t i = 0; i < count; i += 1, in += step, out += out_step, above += out_step) {
        const Words up = load(above, out_step);
        left = add(paeth(left, up, corner), load(in, step));
        put(out, left, step, out_step);
        corner = up;
    }
}

INLINE bool undo(
    uint8_t filter, uint8_t *out, const uint8_t *in, const uint8_t *above, size_t count, size_t step, size_t out_step) {
    // Above the first row everything is zero (PNG 9.2).
    if (above == NULL && filter == CPNG_FILTER_UP) {
        filter = CPNG_FILTER_NONE;
    } else if (above == NULL && filter == CPNG_FILTER_PAETH) {
        filter = CPNG_FILTER_SUB;
    }
    switch (filter) {
    case CPNG_FILTER_NONE:
        undo_none(out, in, count, step, out_step);
        return true;
    case CPNG_FILTER_SUB:
        undo_sub(out, in, count, step, out_step);
        return true;
    case CPNG_FILTER_UP:
        undo_up(out, in, above, count, step, out_step);
        return true;
    case CPNG_FILTER_AVERAGE:
        undo_average(out, in, above, count, step, out_step);
        return true;
    case CPNG_FILTER_PAETH:
        undo_paeth(out, in, above, count, step, out_step);
        return true;
    default:
        return false;
    }
}

bool cpng_unfilter_row(
    uint8_t filter, uint8_t *out, const uint8_t *in, const uint8_t *above, size_t count, size_t step, size_t out_step) {
    switch (step) {
    case 1:
        return undo(filter, out, in, above, count, 1, 1);
    case 2:
        return undo(filter, out, in, above, count, 2, 2);
    case 3:
        return out_step == 4 && undo(filter, out, in, above, count, 3, 4);
    case 4:
        return undo(filter, out, in, above, count, 4, 4);
    case 6:
        return undo(filter, out, in, above, count, 6, 6);
    case 8:
        return undo(filter, out, in, above, count, 8, 8);
    default:
        return false;
    }
}
