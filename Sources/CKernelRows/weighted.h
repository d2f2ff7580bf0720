// Sums with weights, for the instructions that TARGET names; included once for each.
//
// Nothing is rounded between rows and columns, so halves of sums can be summed apart: no sum needs more bits than an
// element of its vector has. A weight serves two vectors of LANES elements.

#define PAIR(Vector, Loaded, address, other) (AS(Vector, LOAD(Loaded, address)) + AS(Vector, LOAD(Loaded, other)))

// Down columns.
#define SUM_ROWS(name, Sample, Sum, Vector, Samples, LANES)                                                            \
    TARGET static void LEVEL(name)(                                                                                    \
        Sum *restrict sums, const Sample *const *rows, const uint32_t *weights, size_t radius, size_t count) {         \
        const Sample *middle = rows[radius];                                                                           \
        if (count < 2 * LANES) {                                                                                       \
            EACH_VALUE(at, count) {                                                                                    \
                uint32_t sum = middle[at] * weights[0];                                                                \
                for (size_t far = 1; far <= radius; far += 1) {                                                        \
                    sum += ((uint32_t)rows[radius - far][at] + rows[radius + far][at]) * weights[far];                 \
                }                                                                                                      \
                sums[at] = (Sum)sum;                                                                                   \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t at = 0; at < count; at = next_block(at, 2 * LANES, count)) {                                       \
            Vector left = AS(Vector, LOAD(Samples, middle + at)) * (Sum)weights[0];                                    \
            Vector right = AS(Vector, LOAD(Samples, middle + at + LANES)) * (Sum)weights[0];                           \
            for (size_t far = 1; far <= radius; far += 1) {                                                            \
                const Sample *above = rows[radius - far] + at, *below = rows[radius + far] + at;                       \
                const Sum weight = (Sum)weights[far];                                                                  \
                left += PAIR(Vector, Samples, above, below) * weight;                                                  \
                right += PAIR(Vector, Samples, above + LANES, below + LANES) * weight;                                 \
            }                                                                                                          \
            STORE(Vector, sums + at, left);                                                                            \
            STORE(Vector, sums + at + LANES, right);                                                                   \
        }                                                                                                              \
    }

SUM_ROWS(sum_rows_8, uint8_t, uint16_t, Words, WordBytes, 32)
SUM_ROWS(sum_rows_8_wide, uint8_t, uint32_t, Longs, LongBytes, 16)
SUM_ROWS(sum_rows_16, uint16_t, uint32_t, Longs, LongWords, 16)

#define HALVE(name, Sum, Vector, Halves, LANES)                                                                        \
    TARGET static void LEVEL(name)(                                                                                    \
        uint16_t *restrict upper, uint16_t *restrict lower, const Sum *sums, size_t count) {                           \
        enum { half = sizeof(Sum) * 4 };                                                                               \
        const Sum mask = ((Sum)1 << half) - 1;                                                                         \
        if (count < LANES) {                                                                                           \
            EACH_VALUE(at, count) {                                                                                    \
                upper[at] = (uint16_t)(sums[at] >> half);                                                              \
                lower[at] = (uint16_t)(sums[at] & mask);                                                               \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t at = 0; at < count; at = next_block(at, LANES, count)) {                                           \
            const Vector sum = LOAD(Vector, sums + at);                                                                \
            STORE(Halves, upper + at, AS(Halves, sum >> half));                                                        \
            STORE(Halves, lower + at, AS(Halves, sum & mask));                                                         \
        }                                                                                                              \
    }

HALVE(halve_16, uint16_t, Words, Words, 32)
HALVE(halve_32, uint32_t, Longs, LongWords, 16)

// Along a row. An element of the vectors, a Sum, has twice the bits that a half has.
#define SUM_ROW(name, Sample, Sum, Vector, Halves, Samples, LANES)                                                     \
    TARGET static void LEVEL(name)(                                                                                    \
        Sample *restrict made, const uint16_t *upper, const uint16_t *lower, const uint32_t *weights, size_t radius,   \
        size_t step, size_t count) {                                                                                   \
        enum { half = sizeof(Sum) * 4 };                                                                               \
        const Sum rounding = (Sum)1 << (half - 1);                                                                     \
        if (count < 2 * LANES) {                                                                                       \
            EACH_VALUE(at, count) {                                                                                    \
                uint32_t high = upper[at] * weights[0], low = lower[at] * weights[0];                                  \
                for (size_t far = 1; far <= radius; far += 1) {                                                        \
                    const uint16_t *before = upper + at - far * step, *behind = upper + at + far * step;               \
                    high += ((uint32_t)*before + *behind) * weights[far];                                              \
                    before = lower + at - far * step;                                                                  \
                    behind = lower + at + far * step;                                                                  \
                    low += ((uint32_t)*before + *behind) * weights[far];                                               \
                }                                                                                                      \
                made[at] = (Sample)((high + (low >> half) + rounding) >> half);                                        \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t at = 0; at < count; at = next_block(at, 2 * LANES, count)) {                                       \
            const Sum center = (Sum)weights[0];                                                                        \
            Vector high_left = AS(Vector, LOAD(Halves, upper + at)) * center;                                          \
            Vector high_right = AS(Vector, LOAD(Halves, upper + at + LANES)) * center;                                 \
            Vector low_left = AS(Vector, LOAD(Halves, lower + at)) * center;                                           \
            Vector low_right = AS(Vector, LOAD(Halves, lower + at + LANES)) * center;                                  \
            for (size_t far = 1; far <= radius; far += 1) {                                                            \
                const uint16_t *before = upper + at - far * step, *behind = upper + at + far * step;                   \
                const Sum weight = (Sum)weights[far];                                                                  \
                high_left += PAIR(Vector, Halves, before, behind) * weight;                                            \
                high_right += PAIR(Vector, Halves, before + LANES, behind + LANES) * weight;                           \
                before = lower + at - far * step;                                                                      \
                behind = lower + at + far * step;                                                                      \
                low_left += PAIR(Vector, Halves, before, behind) * weight;                                             \
                low_right += PAIR(Vector, Halves, before + LANES, behind + LANES) * weight;                            \
            }                                                                                                          \
            STORE(Samples, made + at, AS(Samples, (high_left + (low_left >> half) + rounding) >> half));               \
            STORE(Samples, made + at + LANES, AS(Samples, (high_right + (low_right >> half) + rounding) >> half));     \
        }                                                                                                              \
    }

SUM_ROW(sum_row_8, uint8_t, uint16_t, Words, Words, WordBytes, 32)
SUM_ROW(sum_row_8_wide, uint8_t, uint32_t, Longs, LongWords, LongBytes, 16)
SUM_ROW(sum_row_16, uint16_t, uint32_t, Longs, LongWords, LongWords, 16)

#undef PAIR
#undef SUM_ROWS
#undef HALVE
#undef SUM_ROW
