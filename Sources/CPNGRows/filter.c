#include "filter.h"

#include "vectors.h"

#define SPECIALIZED static inline __attribute__((always_inline))

SPECIALIZED Words predict(CPNGFilter filter, Words left, Words up, Words corner) {
    switch (filter) {
    case CPNG_FILTER_SUB:
        return left;
    case CPNG_FILTER_UP:
        return up;
    case CPNG_FILTER_AVERAGE:
        return average(left, up);
    case CPNG_FILTER_PAETH:
        return paeth(left, up, corner);
    default:
        return (Words){0};
    }
}

// Eight samples, or `count` where fewer are left. Left of a row everything is zero (PNG 9.2).
SPECIALIZED void filter_samples(
    CPNGFilter filter, const uint8_t *row, const uint8_t *above, size_t x, size_t count, size_t step, uint8_t *out) {
    uint8_t samples[4][8] = {{0}};
    memcpy(samples[0], row + x, count);
    memcpy(samples[1], above + x, count);
    for (size_t i = 0; i < count; i += 1) {
        if (x + i >= step) {
            samples[2][i] = row[x + i - step];
            samples[3][i] = above[x + i - step];
        }
    }
    const Words predicted = predict(filter, load(samples[2], 8), load(samples[1], 8), load(samples[3], 8));
    store(out + x, load(samples[0], 8) - predicted, count);
}

SPECIALIZED void apply(
    CPNGFilter filter, const uint8_t *row, const uint8_t *above, size_t count, size_t step, uint8_t *out) {
    *out++ = (uint8_t)filter;
    size_t x = count < 8 ? count : 8;
    filter_samples(filter, row, above, 0, x, step, out);
    for (; x + 8 <= count; x += 8) {
        const Words predicted = predict(
            filter, load(row + x - step, 8), load(above + x, 8), load(above + x - step, 8));
        store(out + x, load(row + x, 8) - predicted, 8);
    }
    if (x < count) {
        filter_samples(filter, row, above, x, count - x, step, out);
    }
}

// Of filtered bytes, which are differences: small ones compress well (PNG 12.7).
static size_t sum_of_differences(const uint8_t *bytes, size_t count) {
    size_t sum = 0;
    for (size_t i = 0; i < count; i += 1) {
        const int difference = (int8_t)bytes[i];
        sum += (size_t)(difference < 0 ? -difference : difference);
    }
    return sum;
}

static void apply_best(const uint8_t *row, const uint8_t *above, size_t count, size_t step, uint8_t *out) {
    CPNGFilter best = CPNG_FILTER_NONE;
    size_t smallest = SIZE_MAX;
    for (CPNGFilter filter = CPNG_FILTER_NONE; filter <= CPNG_FILTER_PAETH; filter += 1) {
        cpng_filter_row(filter, row, above, count, step, out);
        const size_t sum = sum_of_differences(out + 1, count);
        if (sum < smallest) {
            smallest = sum;
            best = filter;
        }
    }
    cpng_filter_row(best, row, above, count, step, out);
}

void cpng_filter_row(
    CPNGFilter filter, const uint8_t *row, const uint8_t *above, size_t count, size_t step, uint8_t *out) {
    switch (filter) {
    case CPNG_FILTER_NONE:
        *out = CPNG_FILTER_NONE;
        memcpy(out + 1, row, count);
        return;
    case CPNG_FILTER_SUB:
        apply(CPNG_FILTER_SUB, row, above, count, step, out);
        return;
    case CPNG_FILTER_UP:
        apply(CPNG_FILTER_UP, row, above, count, step, out);
        return;
    case CPNG_FILTER_AVERAGE:
        apply(CPNG_FILTER_AVERAGE, row, above, count, step, out);
        return;
    case CPNG_FILTER_PAETH:
        apply(CPNG_FILTER_PAETH, row, above, count, step, out);
        return;
    case CPNG_FILTER_ALL:
        apply_best(row, above, count, step, out);
        return;
    }
}
