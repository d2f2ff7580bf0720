#pragma once

#include "CPNGRows.h"

/// Filters a row of `count` bytes in pixels of `step` bytes into its filter byte and as many. `above` is as long.
void cpng_filter_row(
    CPNGFilter filter, const uint8_t *row, const uint8_t *above, size_t count, size_t step, uint8_t *out);
