// Medians of squares, for the instructions that TARGET names; included once for each.
//
// A network of minima and maxima is written once for vectors and for single samples: Block is either.

#define ORDER(a, b)                                                                                                    \
    do {                                                                                                               \
        const Block least = MIN(a, b);                                                                                 \
        b = MAX(a, b);                                                                                                 \
        a = least;                                                                                                     \
    } while (0)
#define MIN(a, b) __builtin_elementwise_min(a, b)
#define MAX(a, b) __builtin_elementwise_max(a, b)
#define MIDDLE(a, b, c) MAX(MIN(a, b), MIN(MAX(a, b), c))

// Makes BODY, which handles a Block from the sample `at` on, for a row: in vectors, or one by one if there are too few.
#define EACH_BLOCK(Sample, Vector, LANES, BODY)                                                                        \
    if (count < LANES) {                                                                                               \
        typedef Sample Block;                                                                                          \
        EACH_VALUE(at, count) { BODY }                                                                                 \
        return;                                                                                                        \
    }                                                                                                                  \
    typedef Vector Block;                                                                                              \
    for (size_t at = 0; at < count; at = next_block(at, LANES, count)) { BODY }

// Three columns in order: the median is the middle one of the greatest of their least, the middle one of their middle
// ones, and the least of their greatest (A. W. Paeth, Median Finding on a 3x3 Grid, Graphics Gems, 1990).
#define COLUMN(low, center, high, far)                                                                                 \
    Block low = LOAD(Block, above + at + far), center = LOAD(Block, middle + at + far);                                \
    Block high = LOAD(Block, below + at + far);                                                                        \
    ORDER(low, center);                                                                                                \
    ORDER(center, high);                                                                                               \
    ORDER(low, center);
#define MEDIAN_3                                                                                                       \
    COLUMN(low_0, center_0, high_0, -far)                                                                              \
    COLUMN(low_1, center_1, high_1, 0)                                                                                 \
    COLUMN(low_2, center_2, high_2, far)                                                                               \
    const Block low = MAX(MAX(low_0, low_1), low_2), high = MIN(MIN(high_0, high_1), high_2);                          \
    const Block center = MIDDLE(center_0, center_1, center_2);                                                         \
    STORE(Block, made + at, MIDDLE(low, center, high));

// Six rows in, of whose columns the upper five are sorted, and the lower five: four of them once for both.
#define SORT_5                                                                                                         \
    Block a = LOAD(Block, rows[1] + at), b = LOAD(Block, rows[2] + at);                                                \
    Block c = LOAD(Block, rows[3] + at), d = LOAD(Block, rows[4] + at);                                                \
    ORDER(a, b);                                                                                                       \
    ORDER(c, d);                                                                                                       \
    ORDER(a, c);                                                                                                       \
    ORDER(b, d);                                                                                                       \
    ORDER(b, c);                                                                                                       \
    INSERT(rows[0], sorted)                                                                                            \
    INSERT(rows[5], sorted + 5 * stride)
#define INSERT(row, target)                                                                                            \
    {                                                                                                                  \
        const Block e = LOAD(Block, row + at);                                                                         \
        STORE(Block, target + at, MIN(a, e));                                                                          \
        STORE(Block, target + stride + at, MIN(b, MAX(a, e)));                                                         \
        STORE(Block, target + 2 * stride + at, MIN(c, MAX(b, e)));                                                     \
        STORE(Block, target + 3 * stride + at, MIN(d, MAX(c, e)));                                                     \
        STORE(Block, target + 4 * stride + at, MAX(d, e));                                                             \
    }

// Five sorted columns. When their ranks are sorted too, 12 of the 25 samples have too many others below or above them;
// of the 13 that are left the median is the 7th. Two lists, of the first two ranks with the last and of the others, are
// put in order as far as needed. The tests try the network with all columns of zeros and ones, which proves it (D. E.
// Knuth, The Art of Computer Programming, volume 3, 5.3.4, theorem Z).
#define RANK(name, number)                                                                                             \
    Block name##0 = LOAD(Block, sorted + number * stride + at - 2 * far);                                              \
    Block name##1 = LOAD(Block, sorted + number * stride + at - far);                                                  \
    Block name##2 = LOAD(Block, sorted + number * stride + at);                                                        \
    Block name##3 = LOAD(Block, sorted + number * stride + at + far);                                                  \
    Block name##4 = LOAD(Block, sorted + number * stride + at + 2 * far);                                              \
    ORDER(name##0, name##3);                                                                                           \
    ORDER(name##1, name##4);                                                                                           \
    ORDER(name##0, name##2);                                                                                           \
    ORDER(name##1, name##3);
#define MEDIAN_5                                                                                                       \
    RANK(a, 0)                                                                                                         \
    ORDER(a2, a4);                                                                                                     \
    ORDER(a3, a4);                                                                                                     \
    ORDER(a2, a3);                                                                                                     \
    RANK(b, 1)                                                                                                         \
    ORDER(b0, b1);                                                                                                     \
    ORDER(b2, b4);                                                                                                     \
    ORDER(b1, b2);                                                                                                     \
    ORDER(b3, b4);                                                                                                     \
    ORDER(b2, b3);                                                                                                     \
    RANK(e, 4)                                                                                                         \
    ORDER(e0, e1);                                                                                                     \
    ORDER(e2, e4);                                                                                                     \
    ORDER(e1, e2);                                                                                                     \
    ORDER(a4, e1);                                                                                                     \
    ORDER(a4, e0);                                                                                                     \
    ORDER(a3, b2);                                                                                                     \
    ORDER(e0, b4);                                                                                                     \
    ORDER(e0, b2);                                                                                                     \
    ORDER(a4, b3);                                                                                                     \
    ORDER(e1, b3);                                                                                                     \
    ORDER(a4, e0);                                                                                                     \
    ORDER(e1, b2);                                                                                                     \
    RANK(c, 2)                                                                                                         \
    ORDER(c0, c1);                                                                                                     \
    ORDER(c2, c4);                                                                                                     \
    ORDER(c1, c2);                                                                                                     \
    ORDER(c3, c4);                                                                                                     \
    ORDER(c2, c3);                                                                                                     \
    RANK(d, 3)                                                                                                         \
    ORDER(d0, d1);                                                                                                     \
    ORDER(d2, d4);                                                                                                     \
    ORDER(d1, d2);                                                                                                     \
    ORDER(d2, d3);                                                                                                     \
    ORDER(c1, d0);                                                                                                     \
    ORDER(c3, d2);                                                                                                     \
    ORDER(c3, d0);                                                                                                     \
    ORDER(c2, d1);                                                                                                     \
    ORDER(c2, c3);                                                                                                     \
    Block seventh = MIN(b4, MAX(a3, d2));                                                                              \
    seventh = MIN(seventh, MIN(MAX(b3, c1), MAX(b2, c2)));                                                             \
    seventh = MIN(seventh, MIN(MAX(e1, c3), MAX(e0, d1)));                                                             \
    seventh = MIN(seventh, MAX(a4, d0));                                                                               \
    STORE(Block, made + at, seventh);

#define MEDIANS(suffix, Sample, Vector, LANES)                                                                         \
    TARGET static void LEVEL(median_3_##suffix)(                                                                       \
        Sample *restrict made, const Sample *above, const Sample *middle, const Sample *below, size_t step,            \
        size_t count) {                                                                                                \
        const ptrdiff_t far = (ptrdiff_t)step;                                                                         \
        EACH_BLOCK(Sample, Vector, LANES, MEDIAN_3)                                                                    \
    }                                                                                                                  \
    TARGET static void LEVEL(sort_5_##suffix)(                                                                         \
        Sample *restrict sorted, size_t stride, const Sample *const *rows, size_t count) {                             \
        EACH_BLOCK(Sample, Vector, LANES, SORT_5)                                                                      \
    }                                                                                                                  \
    TARGET static void LEVEL(median_5_##suffix)(                                                                       \
        Sample *restrict made, const Sample *sorted, size_t stride, size_t step, size_t count) {                       \
        const ptrdiff_t far = (ptrdiff_t)step;                                                                         \
        EACH_BLOCK(Sample, Vector, LANES, MEDIAN_5)                                                                    \
    }
MEDIANS(8, uint8_t, Bytes, 64)
MEDIANS(16, uint16_t, Words, 32)

// Bit by bit from the highest: the greatest value below which no more than half of the samples lie. A comparison makes
// all bits of a vector's element one.
#define MEDIAN(name, Sample, Vector, LANES)                                                                            \
    TARGET static void LEVEL(name)(                                                                                    \
        Sample *restrict made, const Sample *const *rows, size_t radius, size_t step, size_t count) {                  \
        const size_t size = 2 * radius + 1, left = radius * step;                                                      \
        const Sample half = (Sample)(size * size / 2), top = (Sample)1 << (8 * sizeof(Sample) - 1);                    \
        if (count < LANES) {                                                                                           \
            EACH_VALUE(at, count) {                                                                                    \
                Sample found = 0;                                                                                      \
                for (Sample bit = top; bit != 0; bit >>= 1) {                                                          \
                    size_t less = 0;                                                                                   \
                    for (size_t row = 0; row < size; row += 1) {                                                       \
                        const Sample *first = rows[row] + at - left;                                                   \
                        for (size_t column = 0; column < size; column += 1) {                                          \
                            less += first[column * step] < (found | bit);                                              \
                        }                                                                                              \
                    }                                                                                                  \
                    found |= less <= half ? bit : 0;                                                                   \
                }                                                                                                      \
                made[at] = found;                                                                                      \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        for (size_t at = 0; at < count; at = next_block(at, LANES, count)) {                                           \
            Vector found = {0};                                                                                        \
            for (Sample bit = top; bit != 0; bit >>= 1) {                                                              \
                const Vector value = found | bit;                                                                      \
                Vector less = {0};                                                                                     \
                for (size_t row = 0; row < size; row += 1) {                                                           \
                    const Sample *first = rows[row] + at - left;                                                       \
                    for (size_t column = 0; column < size; column += 1) {                                              \
                        less -= AS(Vector, LOAD(Vector, first + column * step) < value);                               \
                    }                                                                                                  \
                }                                                                                                      \
                found |= AS(Vector, less <= half) & bit;                                                               \
            }                                                                                                          \
            STORE(Vector, made + at, found);                                                                           \
        }                                                                                                              \
    }
MEDIAN(median_8, uint8_t, Bytes, 64)
MEDIAN(median_16, uint16_t, Words, 32)

#undef ORDER
#undef MIN
#undef MAX
#undef MIDDLE
#undef EACH_BLOCK
#undef COLUMN
#undef MEDIAN_3
#undef SORT_5
#undef INSERT
#undef RANK
#undef MEDIAN_5
#undef MEDIANS
#undef MEDIAN
