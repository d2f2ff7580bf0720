// Luma and its gradients, for the instructions that TARGET names; included once for each. A pixel of four samples is
// one number, whose lowest bits are red's.

TARGET static inline uint32_t LEVEL(luma)(uint32_t red, uint32_t green, uint32_t blue) {
    return (19595 * red + 38470 * green + 7471 * blue + 32768) >> 16;
}

TARGET static void LEVEL(luma_8)(uint8_t *restrict luma, const uint8_t *pixels, size_t count) {
    if (count < 16) {
        EACH_VALUE(at, count) {
            luma[at] = (uint8_t)LEVEL(luma)(pixels[4 * at], pixels[4 * at + 1], pixels[4 * at + 2]);
        }
        return;
    }
    for (size_t at = 0; at < count; at = next_block(at, 16, count)) {
        const Longs all = LOAD(Longs, pixels + 4 * at);
        const Longs sum = (all & 255) * 19595 + (all >> 8 & 255) * 38470 + (all >> 16 & 255) * 7471 + 32768;
        STORE(LongBytes, luma + at, AS(LongBytes, sum >> 16));
    }
}

TARGET static void LEVEL(luma_16)(uint16_t *restrict luma, const uint16_t *pixels, size_t count) {
    if (count < 8) {
        EACH_VALUE(at, count) {
            luma[at] = (uint16_t)LEVEL(luma)(pixels[4 * at], pixels[4 * at + 1], pixels[4 * at + 2]);
        }
        return;
    }
    for (size_t at = 0; at < count; at = next_block(at, 8, count)) {
        const Giants all = LOAD(Giants, pixels + 4 * at);
        const GiantLongs red = AS(GiantLongs, all & 65535), green = AS(GiantLongs, all >> 16 & 65535);
        const GiantLongs blue = AS(GiantLongs, all >> 32 & 65535);
        STORE(GiantWords, luma + at, AS(GiantWords, (red * 19595 + green * 38470 + blue * 7471 + 32768) >> 16));
    }
}

// Differences of the columns to the right and to the left, and of the rows below and above, the middle one doubled;
// AT reads the sample `far` columns further on.
#define GRADIENT(Number, AT)                                                                                           \
    const Number falling = AT(below, 1) - AT(above, -1), rising = AT(above, 1) - AT(below, -1);                        \
    const Number x = falling + rising + 2 * (AT(middle, 1) - AT(middle, -1));                                          \
    const Number y = falling - rising + 2 * (AT(below, 0) - AT(above, 0))

// The floor of the root, at most `most`. In double precision a root of a whole number below 2⁵³ never reaches the next
// whole number by rounding; in single precision, of one below 2²⁴.
#define GRADIENTS_ONE_BY_ONE(Sample, most)                                                                             \
    EACH_VALUE(at, count) {                                                                                            \
        GRADIENT(int64_t, SAMPLE_AT);                                                                                  \
        const double root = __builtin_sqrt((double)(x * x + y * y));                                                   \
        made[at] = root < most ? (Sample)root : most;                                                                  \
    }
#define SAMPLE_AT(row, far) ((int64_t)(row + at)[far])
#define BYTES_AT(row, far) AS(SignedLongs, LOAD(LongBytes, row + at + far))
#define WORDS_AT(row, far) AS(SignedGiantLongs, LOAD(GiantWords, row + at + far))

TARGET static void LEVEL(gradient_8)(
    uint8_t *restrict made, const uint8_t *above, const uint8_t *middle, const uint8_t *below, size_t count) {
    if (count < 16) {
        GRADIENTS_ONE_BY_ONE(uint8_t, 255)
        return;
    }
    for (size_t at = 0; at < count; at = next_block(at, 16, count)) {
        GRADIENT(SignedLongs, BYTES_AT);
        const SignedLongs root = AS(SignedLongs, __builtin_elementwise_sqrt(AS(Floats, x * x + y * y)));
        STORE(LongBytes, made + at, AS(LongBytes, __builtin_elementwise_min(root, (SignedLongs){} + 255)));
    }
}

TARGET static void LEVEL(gradient_16)(
    uint16_t *restrict made, const uint16_t *above, const uint16_t *middle, const uint16_t *below, size_t count) {
    if (count < 8) {
        GRADIENTS_ONE_BY_ONE(uint16_t, 65535)
        return;
    }
    for (size_t at = 0; at < count; at = next_block(at, 8, count)) {
        GRADIENT(SignedGiantLongs, WORDS_AT);
        const Doubles across = AS(Doubles, x), down = AS(Doubles, y);
        const SignedGiantLongs root =
            AS(SignedGiantLongs, __builtin_elementwise_sqrt(across * across + down * down));
        STORE(GiantWords, made + at, AS(GiantWords, __builtin_elementwise_min(root, (SignedGiantLongs){} + 65535)));
    }
}

TARGET static void LEVEL(spread_8)(uint8_t *restrict made, const uint8_t *grays, const uint8_t *pixels, size_t count) {
    if (count < 16) {
        EACH_VALUE(at, count) {
            made[4 * at] = made[4 * at + 1] = made[4 * at + 2] = grays[at];
            made[4 * at + 3] = pixels[4 * at + 3];
        }
        return;
    }
    for (size_t at = 0; at < count; at = next_block(at, 16, count)) {
        const Longs gray = AS(Longs, LOAD(LongBytes, grays + at));
        STORE(Longs, made + 4 * at, gray * 0x10101 | (LOAD(Longs, pixels + 4 * at) & 0xff000000));
    }
}

TARGET static void LEVEL(spread_16)(
    uint16_t *restrict made, const uint16_t *grays, const uint16_t *pixels, size_t count) {
    if (count < 8) {
        EACH_VALUE(at, count) {
            made[4 * at] = made[4 * at + 1] = made[4 * at + 2] = grays[at];
            made[4 * at + 3] = pixels[4 * at + 3];
        }
        return;
    }
    for (size_t at = 0; at < count; at = next_block(at, 8, count)) {
        const Giants gray = AS(Giants, LOAD(GiantWords, grays + at));
        const Giants alpha = LOAD(Giants, pixels + 4 * at) & 0xffff000000000000;
        STORE(Giants, made + 4 * at, gray | gray << 16 | gray << 32 | alpha);
    }
}

#undef GRADIENT
#undef GRADIENTS_ONE_BY_ONE
#undef SAMPLE_AT
#undef BYTES_AT
#undef WORDS_AT
