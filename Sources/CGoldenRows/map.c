#include "CGoldenRows.h"

size_t cgolden_count_above(const uint16_t *values, size_t count, uint16_t limit) {
    size_t above = 0;
    for (size_t i = 0; i < count; i += 1) {
        above += values[i] > limit;
    }
    return above;
}

size_t cgolden_add_above(const uint16_t *values, size_t count, uint16_t limit, uint32_t one, uint32_t *columns) {
    uint32_t above = 0;
    for (size_t i = 0; i < count; i += 1) {
        const uint32_t is_above = values[i] > limit;
        columns[i] += is_above * one;
        above += is_above;
    }
    return above;
}

CGoldenRun cgolden_densest(const uint32_t *columns, size_t count, size_t edge) {
    uint32_t sum = 0;
    for (size_t i = 0; i < edge; i += 1) {
        sum += columns[i];
    }
    CGoldenRun best = {.sum = sum, .start = 0};
    for (size_t i = edge; i < count; i += 1) {
        sum += columns[i] - columns[i - edge];
        if (sum > best.sum) {
            best = (CGoldenRun){.sum = sum, .start = i - edge + 1};
        }
    }
    return best;
}

size_t cgolden_find(const uint16_t *values, size_t count, uint16_t value) {
    size_t i = 0;
    while (i < count && values[i] != value) {
        i += 1;
    }
    return i;
}

size_t cgolden_start(const uint16_t *values, size_t count) {
    size_t i = 0;
    while (i < count && values[i] == 0) {
        i += 1;
    }
    return i;
}

size_t cgolden_end(const uint16_t *values, size_t count) {
    while (count > 0 && values[count - 1] == 0) {
        count -= 1;
    }
    return count;
}

uint16_t cgolden_greatest_below(const uint16_t *values, size_t count, uint16_t limit) {
    uint16_t greatest = 0;
    for (size_t i = 0; i < count; i += 1) {
        const uint16_t value = values[i] < limit ? values[i] : 0;
        greatest = value > greatest ? value : greatest;
    }
    return greatest;
}
