// Means of four pixels, for the instructions that TARGET names; included once for each.
//
// A pixel is copied to where it is needed, and all samples are weighed together after.

// Along a row. A sum is left * whole + (right - left) * weight, which fits although a difference may be negative.
#define STRETCH(name, Sample, Sum, Samples, Sums, LANES, step, whole)                                                  \
    TARGET static void LEVEL(name)(                                                                                    \
        Sum *restrict sums, const Sample *row, const uint32_t *places, const Sum *weights, size_t count) {             \
        enum { most = 64 };                                                                                            \
        Sample left[most * step], right[most * step];                                                                  \
        for (size_t first = 0; first < count; first += most) {                                                         \
            const size_t pixels = count - first < most ? count - first : most, samples = step * pixels;                \
            const uint32_t *pairs = places + 2 * first;                                                                \
            EACH_VALUE(at, pixels) {                                                                                   \
                memcpy(left + step * at, row + step * pairs[2 * at], step * sizeof(Sample));                           \
                memcpy(right + step * at, row + step * pairs[2 * at + 1], step * sizeof(Sample));                      \
            }                                                                                                          \
            Sum *made = sums + step * first;                                                                           \
            const Sum *parts = weights + step * first;                                                                 \
            if (samples < LANES) {                                                                                     \
                EACH_VALUE(at, samples) {                                                                              \
                    const uint32_t low = left[at], high = right[at];                                                   \
                    made[at] = (Sum)(low * whole + (high - low) * parts[at]);                                          \
                }                                                                                                      \
            } else {                                                                                                   \
                for (size_t at = 0; at < samples; at = next_block(at, LANES, samples)) {                               \
                    const Sums low = AS(Sums, LOAD(Samples, left + at)), high = AS(Sums, LOAD(Samples, right + at));   \
                    STORE(Sums, made + at, low * whole + (high - low) * LOAD(Sums, parts + at));                       \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

STRETCH(stretch_8, uint8_t, uint16_t, WordBytes, Words, 32, 4, 256)
STRETCH(stretch_16, uint16_t, uint32_t, LongWords, Longs, 16, 4, 65536)
STRETCH(stretch_gray_8, uint8_t, uint16_t, WordBytes, Words, 32, 1, 256)
STRETCH(stretch_gray_16, uint16_t, uint32_t, LongWords, Longs, 16, 1, 65536)

// Down a column. Sums of 16 bits have up to 32; their halves are weighed apart, and the lower one carries over.
#define MIXED_8 (upper * (256 - weight) + lower * weight + 32768) >> 16
#define HALVES(part) ((upper part) * (65536 - weight) + (lower part) * weight)
#define MIXED_16 (HALVES(>> 16) + (HALVES(& 65535) >> 16) + 32768) >> 16

#define MIX(name, Sample, Sum, Samples, Sums, MIXED)                                                                   \
    TARGET static void LEVEL(name)(                                                                                    \
        Sample *restrict made, const Sum *uppers, const Sum *lowers, uint32_t weight, size_t count) {                  \
        if (count < 16) {                                                                                              \
            EACH_VALUE(at, count) {                                                                                    \
                const uint32_t upper = uppers[at], lower = lowers[at];                                                 \
                made[at] = (Sample)(MIXED);                                                                            \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t at = 0; at < count; at = next_block(at, 16, count)) {                                              \
            const Longs upper = AS(Longs, LOAD(Sums, uppers + at)), lower = AS(Longs, LOAD(Sums, lowers + at));        \
            STORE(Samples, made + at, AS(Samples, MIXED));                                                             \
        }                                                                                                              \
    }

MIX(mix_rows_8, uint8_t, uint16_t, LongBytes, LongWords, MIXED_8)
MIX(mix_rows_16, uint16_t, uint32_t, LongWords, Longs, MIXED_16)

// Exact halves: means of 2×2 pixels.
#define EACH_MEAN(step)                                                                                                \
    EACH_VALUE(at, step *count) {                                                                                      \
        const size_t pixel = at / step * 2 * step + at % step;                                                         \
        made[at] = (above[pixel] + above[pixel + step] + below[pixel] + below[pixel + step] + 2) >> 2;                 \
    }

#define EVEN(Vector, row) __builtin_shufflevector(LOAD(Vector, row), LOAD(Vector, (row) + sizeof(Vector)), EVENS)
#define ODD(Vector, row) __builtin_shufflevector(LOAD(Vector, row), LOAD(Vector, (row) + sizeof(Vector)), ODDS)

// Every other field of pixels of four samples, a sum of four samples in each: the fields have room for it.
#define FIELDS(Vector, shift) (((left >> shift) & mask) + ((right >> shift) & mask))

#define HALVE(name, Sample, Vector, LANES, size, fields, twos)                                                         \
    TARGET static void LEVEL(name)(Sample *restrict made, const Sample *above, const Sample *below, size_t count) {    \
        if (count < LANES) {                                                                                           \
            EACH_MEAN(4)                                                                                               \
            return;                                                                                                    \
        }                                                                                                              \
        const Vector mask = (Vector){0} + fields, two = (Vector){0} + twos;                                            \
        for (size_t at = 0; at < count; at = next_block(at, LANES, count)) {                                           \
            const char *rows[2] = {(const char *)(above + 8 * at), (const char *)(below + 8 * at)};                    \
            Vector low = two, high = two;                                                                              \
            for (int row = 0; row < 2; row += 1) {                                                                     \
                const Vector left = EVEN(Vector, rows[row]), right = ODD(Vector, rows[row]);                           \
                low += FIELDS(Vector, 0);                                                                              \
                high += FIELDS(Vector, size);                                                                          \
            }                                                                                                          \
            STORE(Vector, made + 4 * at, (low >> 2 & mask) | (high >> 2 & mask) << size);                              \
        }                                                                                                              \
    }

#define EVENS 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODDS 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
HALVE(halve_pixels_8, uint8_t, Longs, 16, 8, 0x00ff00ffu, 0x00020002u)
#undef EVENS
#undef ODDS
#define EVENS 0, 2, 4, 6, 8, 10, 12, 14
#define ODDS 1, 3, 5, 7, 9, 11, 13, 15
HALVE(halve_pixels_16, uint16_t, Giants, 8, 16, 0x0000ffff0000ffffull, 0x0000000200000002ull)
#undef EVENS
#undef ODDS

// A pair of grays is a number of twice the bits.
#define HALVE_GRAY(name, Sample, Vector, Made, LANES, size, greatest)                                                  \
    TARGET static void LEVEL(name)(Sample *restrict made, const Sample *above, const Sample *below, size_t count) {    \
        if (count < LANES) {                                                                                           \
            EACH_MEAN(1)                                                                                               \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t at = 0; at < count; at = next_block(at, LANES, count)) {                                           \
            const Vector upper = LOAD(Vector, above + 2 * at), lower = LOAD(Vector, below + 2 * at);                   \
            const Vector sum = (upper & greatest) + (upper >> size) + (lower & greatest) + (lower >> size) + 2;        \
            STORE(Made, made + at, AS(Made, sum >> 2));                                                                \
        }                                                                                                              \
    }

HALVE_GRAY(halve_gray_8, uint8_t, Words, WordBytes, 32, 8, 255)
HALVE_GRAY(halve_gray_16, uint16_t, Longs, LongWords, 16, 16, 65535)

#undef STRETCH
#undef MIXED_8
#undef HALVES
#undef MIXED_16
#undef MIX
#undef EACH_MEAN
#undef EVEN
#undef ODD
#undef FIELDS
#undef HALVE
#undef HALVE_GRAY
