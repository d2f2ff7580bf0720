// Pixels in other places, for the instructions that TARGET names; included once for each.

// The compiler makes shuffles of the plain loop, whose stores rise: falling ones take twice as long.
#define REVERSE(name, Pixel)                                                                                           \
    TARGET static void LEVEL(name)(Pixel *restrict made, const Pixel *pixels, size_t count) {                          \
        for (size_t at = 0; at < count; at += 1) {                                                                     \
            made[at] = pixels[count - 1 - at];                                                                         \
        }                                                                                                              \
    }
REVERSE(reverse_1, uint8_t)
REVERSE(reverse_2, uint16_t)
REVERSE(reverse_4, uint32_t)
REVERSE(reverse_8, uint64_t)

// Squares of four by four pixels by shuffles, what is left one by one.
#define TURN(name, Pixel, Four)                                                                                        \
    TARGET static void LEVEL(name)(                                                                                    \
        Pixel *restrict made, ptrdiff_t made_stride, const Pixel *pixels, ptrdiff_t stride, size_t columns,            \
        size_t rows) {                                                                                                 \
        size_t y = 0;                                                                                                  \
        for (; y + 4 <= rows; y += 4) {                                                                                \
            Pixel *to = made + (ptrdiff_t)y * made_stride;                                                             \
            const Pixel *from = pixels + y;                                                                            \
            for (size_t x = 0; x + 4 <= columns; x += 4) {                                                             \
                const Four one = LOAD(Four, from), two = LOAD(Four, from + stride);                                    \
                const Four three = LOAD(Four, from + 2 * stride), four = LOAD(Four, from + 3 * stride);                \
                const Four upper_left = __builtin_shufflevector(one, two, 0, 4, 1, 5);                                 \
                const Four lower_left = __builtin_shufflevector(one, two, 2, 6, 3, 7);                                 \
                const Four upper_right = __builtin_shufflevector(three, four, 0, 4, 1, 5);                             \
                const Four lower_right = __builtin_shufflevector(three, four, 2, 6, 3, 7);                             \
                STORE(Four, to + x, __builtin_shufflevector(upper_left, upper_right, 0, 1, 4, 5));                     \
                STORE(Four, to + x + made_stride, __builtin_shufflevector(upper_left, upper_right, 2, 3, 6, 7));       \
                STORE(Four, to + x + 2 * made_stride, __builtin_shufflevector(lower_left, lower_right, 0, 1, 4, 5));   \
                STORE(Four, to + x + 3 * made_stride, __builtin_shufflevector(lower_left, lower_right, 2, 3, 6, 7));   \
                from += 4 * stride;                                                                                    \
            }                                                                                                          \
            for (size_t x = columns / 4 * 4; x < columns; x += 1) {                                                    \
                EACH_VALUE(row, 4) { to[x + (ptrdiff_t)row * made_stride] = pixels[(ptrdiff_t)x * stride + y + row]; } \
            }                                                                                                          \
        }                                                                                                              \
        for (; y < rows; y += 1) {                                                                                     \
            EACH_VALUE(x, columns) {                                                                                   \
                made[(ptrdiff_t)y * made_stride + x] = pixels[(ptrdiff_t)x * stride + y];                              \
            }                                                                                                          \
        }                                                                                                              \
    }
TURN(turn_4, uint32_t, FourLongs)
TURN(turn_8, uint64_t, FourGiants)

#undef REVERSE
#undef TURN
