// A row laid over another, for the instructions that TARGET names; included once for each.

// Products of two samples divided by the greatest sample, rounded to the nearest; exact for all products.
#define BY_255(product) (((product) + 128 + (((product) + 128) >> 8)) >> 8)
#define BY_65535(product) (((product) + 32768 + (((product) + 32768) >> 16)) >> 16)

#define MULTIPLIED(BY) BY(frame * other)
#define SCREENED(BY) (frame + other - BY(frame * other))
#define LAID(BY) other

#define EACH_BLEND(Sample, Samples, Wides, LANES, mixture)                                                             \
    if (count < LANES) {                                                                                               \
        EACH_VALUE(at, count) {                                                                                        \
            const uint32_t frame = frames[at], other = others[at];                                                     \
            made[at] = (Sample)(mixture);                                                                              \
        }                                                                                                              \
        return;                                                                                                        \
    }                                                                                                                  \
    for (size_t at = 0; at < count; at = next_block(at, LANES, count)) {                                               \
        const Wides frame = AS(Wides, LOAD(Samples, frames + at)), other = AS(Wides, LOAD(Samples, others + at));      \
        STORE(Samples, made + at, AS(Samples, mixture));                                                               \
    }

// `weight` of the greatest sample is that of the mixture, the rest that of the frame.
#define BLEND(name, Sample, Samples, Part, Wides, LANES, greatest, BY, MIXED)                                          \
    TARGET static void LEVEL(name)(                                                                                    \
        Sample *restrict made, const Sample *frames, const Sample *others, Sample weight, size_t count) {              \
        const Part part = weight, rest = greatest - weight;                                                            \
        if (rest == 0) {                                                                                               \
            EACH_BLEND(Sample, Samples, Wides, LANES, MIXED(BY))                                                       \
        } else {                                                                                                       \
            EACH_BLEND(Sample, Samples, Wides, LANES, BY((MIXED(BY)) * part + frame * rest))                           \
        }                                                                                                              \
    }
BLEND(lay_8, uint8_t, WordBytes, uint16_t, Words, 32, 255, BY_255, LAID)
BLEND(lay_16, uint16_t, LongWords, uint32_t, Longs, 16, 65535, BY_65535, LAID)
BLEND(multiply_8, uint8_t, WordBytes, uint16_t, Words, 32, 255, BY_255, MULTIPLIED)
BLEND(multiply_16, uint16_t, LongWords, uint32_t, Longs, 16, 65535, BY_65535, MULTIPLIED)
BLEND(screen_8, uint8_t, WordBytes, uint16_t, Words, 32, 255, BY_255, SCREENED)
BLEND(screen_16, uint16_t, LongWords, uint32_t, Longs, 16, 65535, BY_65535, SCREENED)

// Whether the fourth sample of each of `count` pixels is the greatest.
#define OPAQUE(name, Sample, Vector, LANES, greatest)                                                                  \
    TARGET static int LEVEL(name)(const Sample *pixels, size_t count) {                                                \
        Sample least = greatest;                                                                                       \
        size_t at = 0;                                                                                                 \
        if (4 * count >= LANES) {                                                                                      \
            Vector common = LOAD(Vector, pixels);                                                                      \
            for (; at + LANES <= 4 * count; at += LANES) {                                                             \
                common &= LOAD(Vector, pixels + at);                                                                   \
            }                                                                                                          \
            EACH_VALUE(lane, LANES / 4) { least &= common[4 * lane + 3]; }                                             \
        }                                                                                                              \
        for (; at < 4 * count; at += 4) {                                                                              \
            least &= pixels[at + 3];                                                                                   \
        }                                                                                                              \
        return least == greatest;                                                                                      \
    }
OPAQUE(opaque_8, uint8_t, Bytes, 64, 255)
OPAQUE(opaque_16, uint16_t, Words, 32, 65535)

#undef BLEND
#undef EACH_BLEND
#undef OPAQUE
#undef BY_255
#undef BY_65535
#undef MULTIPLIED
#undef SCREENED
#undef LAID
