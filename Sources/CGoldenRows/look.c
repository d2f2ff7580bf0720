#include "samples.h"

bool cgolden_is_equal(const uint8_t *a, const uint8_t *b, CGoldenLayout layout, const bool counts[4]) {
    const size_t bytes = layout.samples * layout.sample_bytes;
    if (memcmp(a, b, layout.pixels * bytes) == 0) {
        return true;
    }
    for (size_t pixel = 0; pixel < layout.pixels; pixel += 1, a += bytes, b += bytes) {
        for (size_t sample = 0; sample < layout.samples; sample += 1) {
            const size_t first = sample * layout.sample_bytes;
            if (counts[sample] && memcmp(a + first, b + first, layout.sample_bytes) != 0) {
                return false;
            }
        }
    }
    return true;
}

bool cgolden_is_swapped(const uint8_t *a, const uint8_t *b, CGoldenLayout layout) {
    const size_t bytes = 4 * layout.sample_bytes;
    for (size_t pixel = 0; pixel < layout.pixels; pixel += 1, a += bytes, b += bytes) {
        for (size_t sample = 0; sample < 3; sample += 1) {
            const size_t first = sample * layout.sample_bytes, other = (2 - sample) * layout.sample_bytes;
            if (memcmp(a + first, b + other, layout.sample_bytes) != 0) {
                return false;
            }
        }
    }
    return true;
}

void cgolden_steps(
    const uint8_t *expected, const uint8_t *actual, CGoldenLayout layout, const bool *hidden, uint16_t *steps) {
    const size_t count = layout.pixels * layout.samples;
    for (size_t i = 0; i < count; i += 1) {
        steps[i] = (uint16_t)distance(
            sample_at(expected, i, layout.sample_bytes), sample_at(actual, i, layout.sample_bytes));
    }
    for (size_t pixel = 0; hidden && pixel < layout.pixels; pixel += 1) {
        if (hidden[pixel]) {
            memset(steps + pixel * layout.samples, 0, layout.samples * sizeof *steps);
        }
    }
}

typedef uint16_t Words __attribute__((vector_size(16)));

static Words load(const uint16_t *values) {
    Words result;
    memcpy(&result, values, sizeof result);
    return result;
}

static uint16_t greatest_around(const uint16_t *steps, size_t i, size_t count, size_t stride) {
    const uint16_t before = i >= stride ? steps[i - stride] : 0;
    const uint16_t behind = i + stride < count ? steps[i + stride] : 0;
    const uint16_t neighbor = before > behind ? before : behind;
    return steps[i] > neighbor ? steps[i] : neighbor;
}

void cgolden_grow(const uint16_t *steps, size_t count, size_t stride, uint16_t *grown) {
    size_t i = 0;
    for (; i < stride && i < count; i += 1) {
        grown[i] = greatest_around(steps, i, count, stride);
    }
    for (; i + stride + 8 <= count; i += 8) {
        const Words neighbors = __builtin_elementwise_max(load(steps + i - stride), load(steps + i + stride));
        const Words greatest = __builtin_elementwise_max(load(steps + i), neighbors);
        memcpy(grown + i, &greatest, sizeof greatest);
    }
    for (; i < count; i += 1) {
        grown[i] = greatest_around(steps, i, count, stride);
    }
}

void cgolden_paint(
    const uint8_t *expected, const uint16_t *steps, CGoldenLayout layout, bool has_alpha, const bool *hidden,
    uint16_t maximum, uint8_t *picture) {
    const int32_t peak = layout.sample_bytes == 1 ? 0xff : 0xffff;
    const size_t colors = layout.samples == 1 ? 1 : 3;
    memset(picture, 0xff, layout.pixels * layout.samples);
    for (size_t pixel = 0; pixel < layout.pixels; pixel += 1, steps += layout.samples, picture += layout.samples) {
        const uint16_t alpha = has_alpha ? steps[3] : 0;
        uint16_t most = alpha;
        for (size_t color = 0; color < colors; color += 1) {
            most = steps[color] > most ? steps[color] : most;
        }
        if (most == 0) {
            // Green is nearest to gray.
            const size_t sample = pixel * layout.samples + (layout.samples == 1 ? 0 : 1);
            const int32_t light = sample_at(expected, sample, layout.sample_bytes);
            memset(picture, light * (hidden && hidden[pixel] ? 31 : 63) / peak, colors);
            continue;
        }
        for (size_t color = 0; color < colors; color += 1) {
            const int32_t step = steps[color] > alpha ? steps[color] : alpha;
            picture[color] = step == 0 ? 0 : (uint8_t)(128 + 127 * step / maximum);
        }
    }
}
