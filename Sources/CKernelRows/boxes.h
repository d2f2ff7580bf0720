// Sums of squares that slide, for the instructions that TARGET names; included once for each.

// Down columns: the sums of the row below those of `above`.
#define SLIDE(name, Sample, Samples)                                                                                   \
    TARGET static void LEVEL(name)(                                                                                    \
        uint32_t *restrict sums, const uint32_t *above, const Sample *enters, const Sample *leaves, size_t count) {    \
        if (count < 16) {                                                                                              \
            EACH_VALUE(at, count) { sums[at] = above[at] + enters[at] - leaves[at]; }                                  \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t at = 0; at < count; at = next_block(at, 16, count)) {                                              \
            const Longs gone = AS(Longs, LOAD(Samples, leaves + at)), come = AS(Longs, LOAD(Samples, enters + at));    \
            STORE(Longs, sums + at, LOAD(Longs, above + at) + come - gone);                                            \
        }                                                                                                              \
    }
SLIDE(slide_8, uint8_t, LongBytes)
SLIDE(slide_16, uint16_t, LongWords)

// Along a row: the sum of `size` pixels, then each time one more and one less. All samples of a pixel at once.
#define RUN(Total, Four)                                                                                               \
    if (count == 0) {                                                                                                  \
        return;                                                                                                        \
    }                                                                                                                  \
    if (step == 4) {                                                                                                   \
        Four total = {0};                                                                                              \
        for (size_t at = 0; at < 4 * size; at += 4) {                                                                  \
            total += AS(Four, LOAD(FourLongs, sums + at));                                                             \
        }                                                                                                              \
        STORE(Four, totals, total);                                                                                    \
        for (size_t at = 4; at < count; at += 4) {                                                                     \
            total += AS(Four, LOAD(FourLongs, sums + at + 4 * (size - 1))) - AS(Four, LOAD(FourLongs, sums + at - 4)); \
            STORE(Four, totals + at, total);                                                                           \
        }                                                                                                              \
    } else {                                                                                                           \
        Total total = 0;                                                                                               \
        for (size_t at = 0; at < size; at += 1) {                                                                      \
            total += sums[at];                                                                                         \
        }                                                                                                              \
        totals[0] = total;                                                                                             \
        for (size_t at = 1; at < count; at += 1) {                                                                     \
            total += (Total)sums[at + size - 1] - sums[at - 1];                                                        \
            totals[at] = total;                                                                                        \
        }                                                                                                              \
    }

// A total and half of the odd area is at least 1 / (2 · area) away from a multiple of the area. A product with the
// reciprocal is nearer to the quotient than that: in single precision, for 8 bits and areas up to 101², by 2⁻²³ of it,
// and in double precision always.
#define DIVIDE(Sample, Loaded, Real, Integers, Made, LANES)                                                            \
    if (count < LANES) {                                                                                               \
        EACH_VALUE(at, count) { made[at] = (Sample)((totals[at] + size * size / 2) / (size * size)); }                 \
        return;                                                                                                        \
    }                                                                                                                  \
    for (size_t at = 0; at < count; at = next_block(at, LANES, count)) {                                               \
        const Real quotients = (AS(Real, LOAD(Loaded, totals + at)) + half) * reciprocal;                              \
        STORE(Made, made + at, AS(Made, AS(Integers, quotients)));                                                     \
    }

TARGET static void LEVEL(row_mean_8)(
    uint8_t *restrict made, uint32_t *restrict totals, const uint32_t *sums, size_t size, size_t step, size_t count) {
    RUN(uint32_t, FourLongs)
    if (size <= 101) {
        const float half = (float)(size * size) / 2, reciprocal = 1 / (float)(size * size);
        DIVIDE(uint8_t, SignedLongs, Floats, SignedLongs, LongBytes, 16)
    } else {
        const double half = (double)(size * size) / 2, reciprocal = 1 / (double)(size * size);
        DIVIDE(uint8_t, SignedGiantLongs, Doubles, SignedGiantLongs, GiantBytes, 8)
    }
}

TARGET static void LEVEL(row_mean_16)(
    uint16_t *restrict made, uint32_t *restrict totals, const uint32_t *sums, size_t size, size_t step, size_t count) {
    const double half = (double)(size * size) / 2, reciprocal = 1 / (double)(size * size);
    RUN(uint32_t, FourLongs)
    DIVIDE(uint16_t, GiantLongs, Doubles, SignedGiantLongs, GiantWords, 8)
}

TARGET static void LEVEL(row_mean_16_wide)(
    uint16_t *restrict made, uint64_t *restrict totals, const uint32_t *sums, size_t size, size_t step, size_t count) {
    const double half = (double)(size * size) / 2, reciprocal = 1 / (double)(size * size);
    RUN(uint64_t, FourGiants)
    DIVIDE(uint16_t, Giants, Doubles, SignedGiantLongs, GiantWords, 8)
}

#undef SLIDE
#undef RUN
#undef DIVIDE
