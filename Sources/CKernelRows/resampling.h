// Sums of pixels with signed weights of 22 bits, for the instructions that TARGET names; included once for each.
//
// A sample of 8 bits times such weights fits 32 bits. Of 16 bits the upper and the lower byte are summed apart, and the
// lower sum carries over.

#define HALF_8 (1 << 21)
#define WITHIN(Vector, sum, greatest)                                                                                  \
    __builtin_elementwise_min(__builtin_elementwise_max(sum, (Vector){0}), (Vector){0} + (greatest))
#define ROUNDED_8(sum) AS(LongBytes, WITHIN(SignedLongs, (sum) >> 22, 255))
#define ROUNDED_16(high, low) AS(LongWords, WITHIN(SignedLongs, ((high) + ((low) >> 8)) >> 14, 65535))

static inline int32_t LEVEL(within)(int32_t value, int32_t greatest) {
    return value < 0 ? 0 : value > greatest ? greatest : value;
}

// Down columns.
TARGET static void LEVEL(weigh_rows_8)(
    uint8_t *restrict made, const uint8_t *const *rows, const int32_t *weights, size_t taps, size_t count) {
    if (count < 32) {
        EACH_VALUE(at, count) {
            int32_t sum = HALF_8;
            for (size_t tap = 0; tap < taps; tap += 1) {
                sum += rows[tap][at] * weights[tap];
            }
            made[at] = (uint8_t)LEVEL(within)(sum >> 22, 255);
        }
        return;
    }
    for (size_t at = 0; at < count; at = next_block(at, 32, count)) {
        SignedLongs left = (SignedLongs){0} + HALF_8, right = left;
        for (size_t tap = 0; tap < taps; tap += 1) {
            const uint8_t *row = rows[tap] + at;
            left += AS(SignedLongs, LOAD(LongBytes, row)) * weights[tap];
            right += AS(SignedLongs, LOAD(LongBytes, row + 16)) * weights[tap];
        }
        STORE(LongBytes, made + at, ROUNDED_8(left));
        STORE(LongBytes, made + at + 16, ROUNDED_8(right));
    }
}

TARGET static void LEVEL(weigh_rows_16)(
    uint16_t *restrict made, const uint16_t *const *rows, const int32_t *weights, size_t taps, size_t count) {
    if (count < 16) {
        EACH_VALUE(at, count) {
            int32_t high = 0, low = HALF_8;
            for (size_t tap = 0; tap < taps; tap += 1) {
                high += (rows[tap][at] >> 8) * weights[tap];
                low += (rows[tap][at] & 255) * weights[tap];
            }
            made[at] = (uint16_t)LEVEL(within)((high + (low >> 8)) >> 14, 65535);
        }
        return;
    }
    for (size_t at = 0; at < count; at = next_block(at, 16, count)) {
        SignedLongs high = {0}, low = (SignedLongs){0} + HALF_8;
        for (size_t tap = 0; tap < taps; tap += 1) {
            const SignedLongs samples = AS(SignedLongs, LOAD(LongWords, rows[tap] + at));
            high += (samples >> 8) * weights[tap];
            low += (samples & 255) * weights[tap];
        }
        STORE(LongWords, made + at, ROUNDED_16(high, low));
    }
}

// Along rows: 16 samples of as many rows as have them lie side by side, so that a vector holds a pixel of each row.
#define WEIGH_ROW(name, Sample, Pixel, Sixteen, PIXELS, STEP, SUMS, ADD, ROUNDED)                                      \
    TARGET static void LEVEL(name)(                                                                                    \
        Sample *const *made, const Sample *const *rows, Sample *restrict woven, const int32_t *spans, size_t stride,   \
        size_t first, size_t width, size_t count) {                                                                    \
        for (size_t row = 0; row < PIXELS; row += 1) {                                                                 \
            const Sample *pixels = rows[row];                                                                          \
            EACH_VALUE(at, width) { memcpy(woven + 16 * at + STEP * row, pixels + STEP * at, sizeof(Pixel)); }         \
        }                                                                                                              \
        for (size_t at = 0; at < count; at += 1) {                                                                     \
            const int32_t *span = spans + stride * at, *weights = span + 2;                                            \
            const Sample *window = woven + 16 * ((size_t)span[0] - first);                                             \
            SUMS;                                                                                                      \
            for (int32_t tap = 0; tap < span[1]; tap += 1) {                                                           \
                const SignedLongs samples = AS(SignedLongs, LOAD(Sixteen, window + 16 * tap));                         \
                ADD;                                                                                                   \
            }                                                                                                          \
            const Sixteen sums = ROUNDED;                                                                              \
            Pixel parts[PIXELS];                                                                                       \
            memcpy(parts, &sums, sizeof(parts));                                                                       \
            for (size_t row = 0; row < PIXELS; row += 1) {                                                             \
                memcpy(made[row] + STEP * at, &parts[row], sizeof(Pixel));                                             \
            }                                                                                                          \
        }                                                                                                              \
    }

#define SUMS_8 SignedLongs sum = (SignedLongs){0} + HALF_8
#define ADD_8 sum += samples * weights[tap]
#define SUMS_16 SignedLongs high = {0}, low = (SignedLongs){0} + HALF_8
#define ADD_16 high += (samples >> 8) * weights[tap], low += (samples & 255) * weights[tap]

WEIGH_ROW(weigh_row_8, uint8_t, uint32_t, LongBytes, 4, 4, SUMS_8, ADD_8, ROUNDED_8(sum))
WEIGH_ROW(weigh_row_16, uint16_t, uint64_t, LongWords, 4, 4, SUMS_16, ADD_16, ROUNDED_16(high, low))
WEIGH_ROW(weigh_row_gray_8, uint8_t, uint8_t, LongBytes, 16, 1, SUMS_8, ADD_8, ROUNDED_8(sum))
WEIGH_ROW(weigh_row_gray_16, uint16_t, uint16_t, LongWords, 16, 1, SUMS_16, ADD_16, ROUNDED_16(high, low))

#undef HALF_8
#undef WITHIN
#undef ROUNDED_8
#undef ROUNDED_16
#undef WEIGH_ROW
#undef SUMS_8
#undef ADD_8
#undef SUMS_16
#undef ADD_16
