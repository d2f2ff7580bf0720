#include "samples.h"

size_t cgolden_count_hidden(const bool *hidden, size_t count) {
    size_t sum = 0;
    for (size_t pixel = 0; pixel < count; pixel += 1) {
        sum += hidden[pixel];
    }
    return sum;
}

void cgolden_hide_zeros(
    const uint8_t *a, const uint8_t *b, CGoldenLayout layout, const bool counts[4], bool *hidden) {
    for (size_t pixel = 0; pixel < layout.pixels; pixel += 1) {
        int32_t bits = 0;
        for (size_t sample = 0; sample < layout.samples; sample += 1) {
            if (counts[sample]) {
                const size_t index = pixel * layout.samples + sample;
                bits |= sample_at(a, index, layout.sample_bytes) | sample_at(b, index, layout.sample_bytes);
            }
        }
        hidden[pixel] = hidden[pixel] || bits == 0;
    }
}

void cgolden_replace_hidden(uint8_t *pixels, const uint8_t *other, CGoldenLayout layout, const bool *hidden) {
    const size_t bytes = layout.samples * layout.sample_bytes;
    for (size_t pixel = 0; pixel < layout.pixels; pixel += 1) {
        if (hidden[pixel]) {
            memcpy(pixels + pixel * bytes, other + pixel * bytes, bytes);
        }
    }
}
