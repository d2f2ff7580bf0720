#include "samples.h"

// Sixteen samples at a time in clang's portable vectors, which are fast without optimization too. A word's low half is
// its first byte on every machine that Safelight runs on.
typedef uint8_t Bytes __attribute__((vector_size(16)));
typedef uint16_t Words __attribute__((vector_size(16)));
typedef uint32_t Longs __attribute__((vector_size(16)));

static void add(CGoldenSums *sums, int32_t expected, int32_t actual, uint16_t *greatest) {
    const int32_t steps = distance(expected, actual);
    sums->difference += actual - expected;
    sums->absolute += steps;
    sums->squared += (int64_t)steps * steps;
    sums->maximum = steps > sums->maximum ? steps : sums->maximum;
    *greatest = steps > *greatest ? (uint16_t)steps : *greatest;
}

// A pixel at a time, from `first` on.
static void measure_pixels(
    const uint8_t *expected, const uint8_t *actual, size_t first, CGoldenLayout layout, const bool counts[4],
    CGoldenSums sums[4], uint16_t *greatest) {
    const size_t bytes = layout.samples * layout.sample_bytes;
    for (size_t pixel = first; pixel < layout.pixels; pixel += 1) {
        const uint8_t *a = expected + pixel * bytes, *b = actual + pixel * bytes;
        greatest[pixel] = 0;
        if (memcmp(a, b, bytes) == 0) {
            continue;
        }
        for (size_t sample = 0; sample < layout.samples; sample += 1) {
            if (counts[sample]) {
                add(sums + sample, sample_at(a, sample, layout.sample_bytes), sample_at(b, sample, layout.sample_bytes),
                    greatest + pixel);
            }
        }
    }
}

static Bytes load(const uint8_t *bytes) {
    Bytes result;
    memcpy(&result, bytes, sizeof result);
    return result;
}

// At most 128 chunks of 16 samples: 128 differences of at most 255 fit a signed word. Samples of even and of odd index
// are summed as words, a mask and a shift away.
static void measure_chunks(
    const uint8_t *expected, const uint8_t *actual, size_t chunks, size_t samples, Bytes counted, CGoldenSums sums[4],
    uint16_t *greatest) {
    Words signed_even = {0}, signed_odd = {0}, absolute_even = {0}, absolute_odd = {0};
    Longs squared[4] = {{0}, {0}, {0}, {0}};
    Bytes most = {0};
    for (size_t chunk = 0; chunk < chunks; chunk += 1) {
        const Bytes a = load(expected + 16 * chunk) & counted, b = load(actual + 16 * chunk) & counted;
        const Bytes steps = __builtin_elementwise_max(a, b) - __builtin_elementwise_min(a, b);
        const Words even = (Words)steps & 0xff, odd = (Words)steps >> 8;
        signed_even += ((Words)b & 0xff) - ((Words)a & 0xff);
        signed_odd += ((Words)b >> 8) - ((Words)a >> 8);
        absolute_even += even;
        absolute_odd += odd;
        squared[0] += (Longs)(even * even) & 0xffff;
        squared[1] += (Longs)(odd * odd) & 0xffff;
        squared[2] += (Longs)(even * even) >> 16;
        squared[3] += (Longs)(odd * odd) >> 16;
        most = __builtin_elementwise_max(most, steps);
        if (samples == 1) {
            for (size_t i = 0; i < 16; i += 1) {
                greatest[16 * chunk + i] = steps[i];
            }
        } else {
            const Words pairs = __builtin_elementwise_max(even, odd);
            for (size_t i = 0; i < 4; i += 1) {
                greatest[4 * chunk + i] = pairs[2 * i] > pairs[2 * i + 1] ? pairs[2 * i] : pairs[2 * i + 1];
            }
        }
    }
    for (size_t lane = 0; lane < 16; lane += 1) {
        CGoldenSums *sum = sums + lane % samples;
        sum->difference += (int16_t)(lane % 2 == 0 ? signed_even : signed_odd)[lane / 2];
        sum->absolute += (lane % 2 == 0 ? absolute_even : absolute_odd)[lane / 2];
        sum->squared += squared[lane % 4][lane / 4];
        sum->maximum = most[lane] > sum->maximum ? most[lane] : sum->maximum;
    }
}

void cgolden_measure(
    const uint8_t *expected, const uint8_t *actual, CGoldenLayout layout, const bool counts[4], CGoldenSums sums[4],
    uint16_t *greatest) {
    memset(sums, 0, 4 * sizeof *sums);
    size_t done = 0;
    if (layout.sample_bytes == 1) {
        Bytes counted = {0};
        for (size_t lane = 0; lane < 16; lane += 1) {
            counted[lane] = counts[lane % layout.samples] ? 0xff : 0;
        }
        const size_t chunks = layout.pixels * layout.samples / 16, pixels = 16 / layout.samples;
        for (size_t first = 0; first < chunks; first += 128) {
            measure_chunks(
                expected + 16 * first, actual + 16 * first, chunks - first < 128 ? chunks - first : 128, layout.samples,
                counted, sums, greatest + pixels * first);
        }
        done = pixels * chunks;
    }
    measure_pixels(expected, actual, done, layout, counts, sums, greatest);
}
