// Positions in a picture and pixels made of those around them, for the instructions that TARGET names; included once
// for each.

#define INDICES ((SignedGiants){0, 1, 2, 3, 4, 5, 6, 7})

// Numbers in so many steps of 64 bits, rounded; eight at once, also behind the last.
TARGET static void LEVEL(place_line)(int32_t *places, int64_t first, int64_t step, int shift, size_t count) {
    SignedGiants numbers = first + ((int64_t)1 << (shift - 1)) + step * INDICES;
    for (size_t at = 0; at < count; at += 8) {
        STORE(SignedGiantLongs, places + at, AS(SignedGiantLongs, numbers >> shift));
        numbers += (int64_t)(8 * (uint64_t)step);
    }
}

// Quotients of the numbers of lines times 2 to the power of `shift`, rounded. An estimate is off by 1 at most, which
// the rest tells; the rest fits 64 bits where the product does not.
TARGET static void LEVEL(place_quotients)(
    int32_t *columns, int32_t *rows, const int64_t *firsts, const int64_t *steps, int shift, size_t count) {
    int32_t *places[2] = {columns, rows};
    SignedGiants numbers[2] = {firsts[0] + steps[0] * INDICES, firsts[1] + steps[1] * INDICES};
    SignedGiants divisors = firsts[2] + steps[2] * INDICES;
    const SignedGiants most = (SignedGiants){0} + ((int64_t)1 << (22 + shift));
    const Doubles far = (Doubles){0} + 0x1p40;
    for (size_t at = 0; at < count; at += 8) {
        const SignedGiants nowhere = divisors <= 0;
        const SignedGiants divisor = __builtin_elementwise_max(divisors, 1 + (SignedGiants){0});
        const SignedGiants half = divisor >> 1;
        const Doubles inverse = 1 / AS(Doubles, divisor);
        for (int axis = 0; axis < 2; axis += 1) {
            const Doubles estimate = (AS(Doubles, numbers[axis]) * (double)(1 << shift) + AS(Doubles, half)) * inverse;
            SignedGiants quotients =
                AS(SignedGiants, __builtin_elementwise_min(__builtin_elementwise_max(estimate, -far), far));
            const Giants product = (Giants)quotients * (Giants)divisor;
            const SignedGiants rest = (SignedGiants)(((Giants)numbers[axis] << shift) + (Giants)half - product);
            quotients += (rest < 0) - (rest >= divisor);
            quotients = __builtin_elementwise_min(__builtin_elementwise_max(quotients, -most), most);
            STORE(
                SignedGiantLongs, places[axis] + at,
                AS(SignedGiantLongs, (nowhere & INT32_MIN) | (~nowhere & quotients)));
            numbers[axis] += (int64_t)(8 * (uint64_t)steps[axis]);
        }
        divisors += (int64_t)(8 * (uint64_t)steps[2]);
    }
}

// Products of numbers with 30 bits below the point.
#define PRODUCT(one, other) (((one) * (other) + (1 << 29)) >> 30)

TARGET static void LEVEL(place_by_lens)(
    int32_t *columns, int32_t *rows, int64_t x, int64_t y, const int64_t *firsts, int64_t step, const int32_t *lens,
    int shift, size_t count) {
    const SignedGiants down = ((SignedGiants){0} + firsts[1] + (1 << 25)) >> 26;
    const SignedGiants yy = PRODUCT(down, down);
    const int64_t half = (int64_t)1 << (shift - 1), p1 = lens[3], p2 = lens[4];
    for (size_t at = 0; at < count; at += 8) {
        const SignedGiants across = (firsts[0] + (1 << 25) + step * (INDICES + (int64_t)at)) >> 26;
        const SignedGiants xx = PRODUCT(across, across), xy = PRODUCT(across, down), square = xx + yy;
        SignedGiants bend = lens[1] + PRODUCT(square, lens[2]);
        bend = lens[0] + PRODUCT(bend, square);
        bend = PRODUCT(bend, square);
        const SignedGiants moved_across =
            PRODUCT(bend, across) + 2 * PRODUCT(xy, p1) + PRODUCT(square, p2) + 2 * PRODUCT(xx, p2);
        const SignedGiants moved_down =
            PRODUCT(bend, down) + 2 * PRODUCT(xy, p2) + PRODUCT(square, p1) + 2 * PRODUCT(yy, p1);
        const SignedGiants column = ((x + INDICES + (int64_t)at) << 40) + moved_across * lens[5] + half;
        const SignedGiants row = (y << 40) + moved_down * lens[6] + half;
        STORE(SignedGiantLongs, columns + at, AS(SignedGiantLongs, column >> shift));
        STORE(SignedGiantLongs, rows + at, AS(SignedGiantLongs, row >> shift));
    }
}

#undef INDICES
#undef PRODUCT

// The column or row that is seen at a place, of `count`; -1 for the color.
static inline int32_t LEVEL(seen)(int32_t at, int32_t count, int32_t edge) {
    if (at >= 0 && at < count) {
        return at;
    }
    if (edge == 0) {
        return -1;
    }
    if (edge == 1) {
        return at < 0 ? 0 : count - 1;
    }
    const int32_t period = count > 1 ? 2 * count - 2 : 1;
    const int32_t rest = (at % period + period) % period;
    return period - rest < rest ? period - rest : rest;
}

// Copies pixels of `size` bytes from a square of `taps` columns and rows, some of which lie beyond the edges.
static inline void LEVEL(copy_square)(
    char *square, const CKernelWarp *warp, int32_t x, int32_t y, int32_t taps, size_t size) {
    for (int32_t row = 0; row < taps; row += 1) {
        const int32_t down = LEVEL(seen)(y + row, warp->height, warp->edge);
        for (int32_t column = 0; column < taps; column += 1) {
            const int32_t across = LEVEL(seen)(x + column, warp->width, warp->edge);
            const char *pixel = (const char *)warp->color;
            if (across >= 0 && down >= 0) {
                pixel = (const char *)warp->pixels + (size_t)(down - warp->top) * warp->stride
                    + (size_t)(across - warp->left) * size;
            }
            memcpy(square, pixel, size);
            square += size;
        }
    }
}

#define LOWER(vector) __builtin_shufflevector(vector, vector, 0, 1, 2, 3)
#define UPPER(vector) __builtin_shufflevector(vector, vector, 4, 5, 6, 7)

// A pixel of four: down the columns first, where a sum of 8 bits with a weight of 8 fits 16.
#define MIX_FOUR(name, Sample, Pair, Sum, Sums, Made)                                                                  \
    TARGET static inline void LEVEL(name)(                                                                             \
        Sample *made, const char *from, size_t stride, const int16_t *columns, const int16_t *rows, uint32_t across,   \
        uint32_t down) {                                                                                               \
        const Sums above = AS(Sums, LOAD(Pair, from)), below = AS(Sums, LOAD(Pair, from + stride));                    \
        const Sums sums = above * (Sum)(256 - down) + below * (Sum)down;                                               \
        const FourLongs left = AS(FourLongs, LOWER(sums)), right = AS(FourLongs, UPPER(sums));                         \
        STORE(Made, made, AS(Made, (left * (256 - across) + right * across + 32768) >> 16));                           \
    }

MIX_FOUR(mix_four_8, uint8_t, EightBytes, uint16_t, EightWords, FourBytes)
MIX_FOUR(mix_four_16, uint16_t, EightWords, uint32_t, EightLongs, FourWords)

#define MIX_GRAYS(name, Sample)                                                                                        \
    TARGET static inline void LEVEL(name)(                                                                             \
        Sample *made, const char *from, size_t stride, const int16_t *columns, const int16_t *rows, uint32_t across,   \
        uint32_t down) {                                                                                               \
        const Sample *above = (const Sample *)from, *below = (const Sample *)(from + stride);                          \
        const uint32_t left = above[0] * (256 - down) + below[0] * down;                                               \
        const uint32_t right = above[1] * (256 - down) + below[1] * down;                                              \
        made[0] = (Sample)((left * (256 - across) + right * across + 32768) >> 16);                                    \
    }

MIX_GRAYS(mix_grays_8, uint8_t)
MIX_GRAYS(mix_grays_16, uint16_t)

// Sums with weights of 10 bits for the columns and as many for the rows.
#define WEIGH(name, Sample, Pixel, Sum, Total, greatest, TAPS, WITHIN_GREATEST)                                        \
    TARGET static inline void LEVEL(name)(                                                                             \
        Sample *made, const char *from, size_t stride, const int16_t *columns, const int16_t *rows, uint32_t across,   \
        uint32_t down) {                                                                                               \
        Total total = (Total){0} + (1 << 19);                                                                          \
        for (int32_t row = 0; row < TAPS; row += 1) {                                                                  \
            Sum sum = (Sum){0};                                                                                        \
            for (int32_t column = 0; column < TAPS; column += 1) {                                                     \
                sum += AS_SUM(Sum, LOAD(Pixel, from + column * sizeof(Pixel))) * (int32_t)columns[column];             \
            }                                                                                                          \
            total += AS_SUM(Total, sum) * rows[row];                                                                   \
            from += stride;                                                                                            \
        }                                                                                                              \
        STORE(Pixel, made, AS_SUM(Pixel, WITHIN_GREATEST(Total, total >> 20, greatest)));                              \
    }

#define WITHIN_VECTOR(Vector, sum, greatest)                                                                           \
    __builtin_elementwise_min(__builtin_elementwise_max(sum, (Vector){0}), (Vector){0} + (greatest))
#define WITHIN_NUMBER(Number, sum, greatest) ((sum) < 0 ? 0 : (sum) > (greatest) ? (greatest) : (sum))

#define AS_SUM AS
WEIGH(weigh_four_8_by_4, uint8_t, FourBytes, FourSignedLongs, FourSignedLongs, 255, 4, WITHIN_VECTOR)
WEIGH(weigh_four_8_by_6, uint8_t, FourBytes, FourSignedLongs, FourSignedLongs, 255, 6, WITHIN_VECTOR)
WEIGH(weigh_four_16_by_4, uint16_t, FourWords, FourSignedLongs, FourSignedGiants, 65535, 4, WITHIN_VECTOR)
WEIGH(weigh_four_16_by_6, uint16_t, FourWords, FourSignedLongs, FourSignedGiants, 65535, 6, WITHIN_VECTOR)
#undef AS_SUM
#define AS_SUM(Number, value) ((Number)(value))
WEIGH(weigh_grays_8_by_4, uint8_t, uint8_t, int32_t, int32_t, 255, 4, WITHIN_NUMBER)
WEIGH(weigh_grays_8_by_6, uint8_t, uint8_t, int32_t, int32_t, 255, 6, WITHIN_NUMBER)
WEIGH(weigh_grays_16_by_4, uint16_t, uint16_t, int32_t, int64_t, 65535, 4, WITHIN_NUMBER)
WEIGH(weigh_grays_16_by_6, uint16_t, uint16_t, int32_t, int64_t, 65535, 6, WITHIN_NUMBER)
#undef AS_SUM

#define WARP_BY(Sample, step, TAPS, MAKE)                                                                              \
    {                                                                                                                  \
        const size_t size = step * sizeof(Sample), stride = warp->stride;                                              \
        const int32_t last_column = warp->width - TAPS, last_row = warp->height - TAPS;                                \
        _Alignas(8) char square[TAPS * TAPS * step * sizeof(Sample)];                                                  \
        for (size_t at = 0; at < count; at += 1) {                                                                     \
            const int32_t x = (columns[at] >> 8) - (TAPS / 2 - 1), y = (rows[at] >> 8) - (TAPS / 2 - 1);               \
            const uint32_t across = columns[at] & 255, down = rows[at] & 255;                                          \
            if (x >= 0 && x <= last_column && y >= 0 && y <= last_row) {                                               \
                const char *from = (const char *)warp->pixels + (size_t)(y - warp->top) * stride                       \
                    + (size_t)(x - warp->left) * size;                                                                 \
                MAKE(made + step * at, from, stride, WEIGHTS(across, TAPS), WEIGHTS(down, TAPS), across, down);        \
            } else if (                                                                                                \
                (warp->edge == 0 && (x <= -TAPS || x >= warp->width || y <= -TAPS || y >= warp->height))               \
                || (columns[at] == INT32_MIN && rows[at] == INT32_MIN)) {                                              \
                memcpy(made + step * at, warp->color, size);                                                           \
            } else {                                                                                                   \
                LEVEL(copy_square)(square, warp, x, y, TAPS, size);                                                    \
                MAKE(                                                                                                  \
                    made + step * at, square, TAPS * size, WEIGHTS(across, TAPS), WEIGHTS(down, TAPS), across, down);  \
            }                                                                                                          \
        }                                                                                                              \
        return;                                                                                                        \
    }

// No weights for two pixels; those of six have room for eight.
#define WEIGHTS(part, TAPS) (TAPS == 2 ? NULL : warp->weights + (TAPS == 4 ? 4 : 8) * (size_t)(part))

#define WARP(name, Sample, step, MIX_TWO, WEIGH_FOUR, WEIGH_SIX)                                                       \
    TARGET static void LEVEL(name)(                                                                                    \
        Sample *restrict made, const CKernelWarp *warp, const int32_t *columns, const int32_t *rows, size_t count) {   \
        switch (warp->taps) {                                                                                          \
        case 2: WARP_BY(Sample, step, 2, LEVEL(MIX_TWO))                                                               \
        case 4: WARP_BY(Sample, step, 4, LEVEL(WEIGH_FOUR))                                                            \
        case 6: WARP_BY(Sample, step, 6, LEVEL(WEIGH_SIX))                                                             \
        default: break;                                                                                                \
        }                                                                                                              \
        for (size_t at = 0; at < count; at += 1) {                                                                     \
            if (columns[at] == INT32_MIN && rows[at] == INT32_MIN) {                                                   \
                memcpy(made + step * at, warp->color, step * sizeof(Sample));                                          \
            } else {                                                                                                   \
                LEVEL(copy_square)((char *)(made + step * at), warp, columns[at], rows[at], 1, step * sizeof(Sample)); \
            }                                                                                                          \
        }                                                                                                              \
    }

WARP(warp_8, uint8_t, 4, mix_four_8, weigh_four_8_by_4, weigh_four_8_by_6)
WARP(warp_16, uint16_t, 4, mix_four_16, weigh_four_16_by_4, weigh_four_16_by_6)
WARP(warp_gray_8, uint8_t, 1, mix_grays_8, weigh_grays_8_by_4, weigh_grays_8_by_6)
WARP(warp_gray_16, uint16_t, 1, mix_grays_16, weigh_grays_16_by_4, weigh_grays_16_by_6)

#undef LOWER
#undef UPPER
#undef MIX_FOUR
#undef MIX_GRAYS
#undef WEIGH
#undef WITHIN_VECTOR
#undef WITHIN_NUMBER
#undef AS_SUM
#undef WARP_BY
#undef WEIGHTS
#undef WARP
