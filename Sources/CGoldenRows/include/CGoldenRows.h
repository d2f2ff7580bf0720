#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Loops over all samples of two pictures. They are in C because most tests of pictures are debug builds, in which Swift
// takes fifty times as long for each sample. Nothing here allocates memory or keeps anything.

/// Pixels without padding, each of 1 or 4 samples of 1 or 2 bytes, in host order.
typedef struct {
    size_t pixels;
    size_t samples;
    size_t sample_bytes;
} CGoldenLayout;

/// The sums over one channel.
typedef struct {
    /// Actual minus expected.
    int64_t difference;
    int64_t absolute;
    int64_t squared;
    int64_t maximum;
} CGoldenSums;

/// Sums the differences of each of a pixel's samples for which `counts` is true, and stores the greatest difference in
/// each pixel.
void cgolden_measure(
    const uint8_t *expected, const uint8_t *actual, CGoldenLayout layout, const bool counts[4], CGoldenSums sums[4],
    uint16_t *greatest);

// MARK: The greatest difference in each pixel

/// The number of values above `limit`.
size_t cgolden_count_above(const uint16_t *values, size_t count, uint16_t limit);

/// Adds `one`, modulo 2³², to the column of each value above `limit`, and returns their number.
size_t cgolden_add_above(const uint16_t *values, size_t count, uint16_t limit, uint32_t one, uint32_t *columns);

/// The greatest sum of `edge` neighbors, and the start of the first run that has it.
typedef struct {
    uint32_t sum;
    size_t start;
} CGoldenRun;

CGoldenRun cgolden_densest(const uint32_t *columns, size_t count, size_t edge);

/// The index of the first `value`, or `count` without one.
size_t cgolden_find(const uint16_t *values, size_t count, uint16_t value);

/// The index of the first value above 0, or `count` without one.
size_t cgolden_start(const uint16_t *values, size_t count);

/// The index after the last value above 0, or 0 without one.
size_t cgolden_end(const uint16_t *values, size_t count);

/// The greatest value below `limit`, or 0 without one.
uint16_t cgolden_greatest_below(const uint16_t *values, size_t count, uint16_t limit);

// MARK: What a difference looks like

/// True if the pixels are equal in each sample for which `counts` is true.
bool cgolden_is_equal(const uint8_t *a, const uint8_t *b, CGoldenLayout layout, const bool counts[4]);

/// True if `b` has the colors of `a` with red and blue swapped.
bool cgolden_is_swapped(const uint8_t *a, const uint8_t *b, CGoldenLayout layout);

// MARK: The picture of a difference

/// Stores the difference of each sample, and 0 where `hidden`, which may be NULL, is true for the pixel.
void cgolden_steps(
    const uint8_t *expected, const uint8_t *actual, CGoldenLayout layout, const bool *hidden, uint16_t *steps);

/// Stores the greatest of each value and of those `stride` before and behind it.
void cgolden_grow(const uint16_t *steps, size_t count, size_t stride, uint16_t *grown);

/// Paints pixels that differ by `steps`, at most `maximum`, in 8 bits, over the dimmed expected ones. A fourth sample
/// becomes opaque.
void cgolden_paint(
    const uint8_t *expected, const uint16_t *steps, CGoldenLayout layout, bool has_alpha, const bool *hidden,
    uint16_t maximum, uint8_t *picture);

// MARK: Masks

/// The number of pixels that are hidden.
size_t cgolden_count_hidden(const bool *hidden, size_t count);

/// Hides the pixels in which every sample for which `counts` is true is 0 in both pictures.
void cgolden_hide_zeros(
    const uint8_t *a, const uint8_t *b, CGoldenLayout layout, const bool counts[4], bool *hidden);

/// Replaces the pixels that are hidden by those of `other`.
void cgolden_replace_hidden(uint8_t *pixels, const uint8_t *other, CGoldenLayout layout, const bool *hidden);
