#pragma once

#include "CGoldenRows.h"

#include <string.h>

static inline int32_t sample_at(const uint8_t *bytes, size_t index, size_t sample_bytes) {
    if (sample_bytes == 1) {
        return bytes[index];
    }
    uint16_t value;
    memcpy(&value, bytes + 2 * index, sizeof value);
    return value;
}

static inline int32_t distance(int32_t a, int32_t b) {
    return a > b ? a - b : b - a;
}
