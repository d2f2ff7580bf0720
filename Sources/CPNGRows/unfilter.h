#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Undoes the filter of one row of `count` pixels, of `step` bytes each in `in` and of `out_step` in `out` and in
/// `above`: both the same, when `out` may be `in`, or 3 and 4, when the fourth byte becomes 255. `above` is NULL for
/// the first row. Reads up to eight bytes behind `in`. False where there is no such filter.
bool cpng_unfilter_row(
    uint8_t filter, uint8_t *out, const uint8_t *in, const uint8_t *above, size_t count, size_t step, size_t out_step);
