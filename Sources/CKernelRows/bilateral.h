// Means of pixels by the distance of their colors, for the instructions that TARGET names; included once for each.

// The rule, one pixel after the other. `others` are the pixels around, and each has a table of weights.
#define BILATERAL_ONE_BY_ONE(Sample, channels)                                                                         \
    EACH_VALUE(at, count) {                                                                                            \
        uint64_t sums[channels] = {0}, whole = 0;                                                                      \
        for (size_t tap = 0; tap < taps; tap += 1) {                                                                   \
            const Sample *one = middle + channels * at, *other = others[tap] + channels * at;                          \
            uint32_t distance = 0;                                                                                     \
            for (size_t channel = 0; channel < 3; channel += 1) {                                                      \
                const Sample a = one[channel % channels], b = other[channel % channels];                               \
                distance += a < b ? b - a : a - b;                                                                     \
            }                                                                                                          \
            const uint32_t weight = tables[tap][sizeof(Sample) == 1 ? distance : (distance + 128) / 257];              \
            whole += weight;                                                                                           \
            for (size_t channel = 0; channel < channels; channel += 1) {                                               \
                sums[channel] += (uint64_t)other[channel] * weight;                                                    \
            }                                                                                                          \
        }                                                                                                              \
        for (size_t channel = 0; channel < channels; channel += 1) {                                                   \
            made[channels * at + channel] = (Sample)((sums[channel] + whole / 2) / whole);                             \
        }                                                                                                              \
    }

#define APART(a, b) (__builtin_elementwise_max(a, b) - __builtin_elementwise_min(a, b))

// Weights by a vector of distances. An element of a vector is slow to reach.
#define LOOK_UP(Vector, Number, LANES, weights, table, distances)                                                      \
    Vector weights;                                                                                                    \
    {                                                                                                                  \
        Number places[LANES], found[LANES];                                                                            \
        STORE(Vector, places, distances);                                                                              \
        for (int lane = 0; lane < LANES; lane += 1) {                                                                  \
            found[lane] = table[places[lane]];                                                                         \
        }                                                                                                              \
        weights = LOAD(Vector, found);                                                                                 \
    }

// Divides sums, halves rounded up. In double precision rounding does not reach the next whole number: a quotient has 16
// bits and its divisor 24, so that it is further away than the last of 53.
TARGET static inline void LEVEL(divide)(Longs *sums, const Longs *whole) {
    for (int half = 0; half < 2; half += 1) {
        GiantLongs *sum = (GiantLongs *)sums + half;
        const GiantLongs *divisor = (const GiantLongs *)whole + half;
        *sum = AS(GiantLongs, AS(Doubles, *sum + (*divisor >> 1)) / AS(Doubles, *divisor));
    }
}

TARGET static inline void LEVEL(divide_deep)(Giants *sums, const Giants *whole) {
    *sums = AS(Giants, AS(Doubles, *sums + (*whole >> 1)) / AS(Doubles, *whole));
}

TARGET static void LEVEL(bilateral_8)(
    uint8_t *restrict made, const uint8_t *middle, const uint8_t *const *others, const uint32_t *const *tables,
    size_t taps, size_t count) {
    if (count < 16) {
        BILATERAL_ONE_BY_ONE(uint8_t, 4)
        return;
    }
    for (size_t at = 0; at < count; at = next_block(at, 16, count)) {
        const Bytes own = LOAD(Bytes, middle + 4 * at);
        Longs red = {0}, green = {0}, blue = {0}, alpha = {0}, whole = {0};
        for (size_t tap = 0; tap < taps; tap += 1) {
            const Bytes other = LOAD(Bytes, others[tap] + 4 * at);
            const Longs apart = (Longs)APART(own, other), pixels = (Longs)other;
            const Longs distances = (apart & 255) + (apart >> 8 & 255) + (apart >> 16 & 255);
            LOOK_UP(Longs, uint32_t, 16, weights, tables[tap], distances)
            whole += weights;
            red += (pixels & 255) * weights;
            green += (pixels >> 8 & 255) * weights;
            blue += (pixels >> 16 & 255) * weights;
            alpha += (pixels >> 24) * weights;
        }
        LEVEL(divide)(&red, &whole);
        LEVEL(divide)(&green, &whole);
        LEVEL(divide)(&blue, &whole);
        LEVEL(divide)(&alpha, &whole);
        STORE(Longs, made + 4 * at, red | green << 8 | blue << 16 | alpha << 24);
    }
}

TARGET static void LEVEL(bilateral_16)(
    uint16_t *restrict made, const uint16_t *middle, const uint16_t *const *others, const uint32_t *const *tables,
    size_t taps, size_t count) {
    if (count < 8) {
        BILATERAL_ONE_BY_ONE(uint16_t, 4)
        return;
    }
    for (size_t at = 0; at < count; at = next_block(at, 8, count)) {
        const Words own = LOAD(Words, middle + 4 * at);
        Giants red = {0}, green = {0}, blue = {0}, alpha = {0}, whole = {0};
        for (size_t tap = 0; tap < taps; tap += 1) {
            const Words other = LOAD(Words, others[tap] + 4 * at);
            const Giants apart = (Giants)APART(own, other), pixels = (Giants)other;
            const Giants sum = (apart & 65535) + (apart >> 16 & 65535) + (apart >> 32 & 65535);
            // A division by 257.
            LOOK_UP(Giants, uint64_t, 8, weights, tables[tap], (sum + 128) * 65281 >> 24)
            whole += weights;
            red += (pixels & 65535) * weights;
            green += (pixels >> 16 & 65535) * weights;
            blue += (pixels >> 32 & 65535) * weights;
            alpha += (pixels >> 48) * weights;
        }
        LEVEL(divide_deep)(&red, &whole);
        LEVEL(divide_deep)(&green, &whole);
        LEVEL(divide_deep)(&blue, &whole);
        LEVEL(divide_deep)(&alpha, &whole);
        STORE(Giants, made + 4 * at, red | green << 16 | blue << 32 | alpha << 48);
    }
}

TARGET static void LEVEL(bilateral_gray_8)(
    uint8_t *restrict made, const uint8_t *middle, const uint8_t *const *others, const uint32_t *const *tables,
    size_t taps, size_t count) {
    if (count < 16) {
        BILATERAL_ONE_BY_ONE(uint8_t, 1)
        return;
    }
    for (size_t at = 0; at < count; at = next_block(at, 16, count)) {
        const Longs own = AS(Longs, LOAD(LongBytes, middle + at));
        Longs gray = {0}, whole = {0};
        for (size_t tap = 0; tap < taps; tap += 1) {
            const Longs other = AS(Longs, LOAD(LongBytes, others[tap] + at));
            LOOK_UP(Longs, uint32_t, 16, weights, tables[tap], APART(own, other) * 3)
            whole += weights;
            gray += other * weights;
        }
        LEVEL(divide)(&gray, &whole);
        STORE(LongBytes, made + at, AS(LongBytes, gray));
    }
}

TARGET static void LEVEL(bilateral_gray_16)(
    uint16_t *restrict made, const uint16_t *middle, const uint16_t *const *others, const uint32_t *const *tables,
    size_t taps, size_t count) {
    if (count < 8) {
        BILATERAL_ONE_BY_ONE(uint16_t, 1)
        return;
    }
    for (size_t at = 0; at < count; at = next_block(at, 8, count)) {
        const Giants own = AS(Giants, LOAD(GiantWords, middle + at));
        Giants gray = {0}, whole = {0};
        for (size_t tap = 0; tap < taps; tap += 1) {
            const Giants other = AS(Giants, LOAD(GiantWords, others[tap] + at));
            LOOK_UP(Giants, uint64_t, 8, weights, tables[tap], (APART(own, other) * 3 + 128) * 65281 >> 24)
            whole += weights;
            gray += other * weights;
        }
        LEVEL(divide_deep)(&gray, &whole);
        STORE(GiantWords, made + at, AS(GiantWords, gray));
    }
}

#undef BILATERAL_ONE_BY_ONE
#undef APART
#undef LOOK_UP
