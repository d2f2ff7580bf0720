// A row laid over another, for the instructions that TARGET names; included once for each.

// Products of two samples divided by the greatest sample, rounded to the nearest; exact for all products.
#define BY_255(product) (((product) + 128 + (((product) + 128) >> 8)) >> 8)
#define BY_65535(product) (((product) + 32768 + (((product) + 32768) >> 16)) >> 16)

#define LESSER(one, other) __builtin_elementwise_min(one, other)
#define GREATER(one, other) __builtin_elementwise_max(one, other)

// What becomes of two samples. No product exceeds the square of the greatest sample.
#define LAID(BY, greatest) other
#define MULTIPLIED(BY, greatest) BY(frame * other)
#define SCREENED(BY, greatest) (frame + other - BY(frame * other))
#define DARKENED(BY, greatest) LESSER(frame, other)
#define LIGHTENED(BY, greatest) GREATER(frame, other)
#define DIFFERING(BY, greatest) (GREATER(frame, other) - LESSER(frame, other))
#define ADDED(BY, greatest) LESSER(frame + other, 0 * frame + greatest)
#define SUBTRACTED(BY, greatest) (frame - LESSER(frame, other))
#define AVERAGED(BY, greatest) ((frame + other + 1) >> 1)
// The same without wider numbers.
#define NARROW_LAID other
#define NARROW_DARKENED LESSER(frame, other)
#define NARROW_LIGHTENED GREATER(frame, other)
#define NARROW_DIFFERING (GREATER(frame, other) - LESSER(frame, other))
#define NARROW_ADDED __builtin_elementwise_add_sat(frame, other)
#define NARROW_SUBTRACTED __builtin_elementwise_sub_sat(frame, other)
#define NARROW_AVERAGED ((frame | other) - ((frame ^ other) >> 1))
#define EXCLUDED(BY, greatest) BY(frame * (greatest - other) + other * (greatest - frame))
// A product where `light` is at most half, else a screen; the other term is 0, or the greatest sample times `dark`.
#define LIT(BY, greatest, dark, light)                                                                                 \
    (BY(dark * LESSER(2 * light, 0 * light + greatest)) + GREATER(2 * light, 0 * light + greatest) - greatest          \
     - BY(dark * (GREATER(2 * light, 0 * light + greatest) - greatest)))
#define HARD(BY, greatest) LIT(BY, greatest, frame, other)
#define OVERLAID(BY, greatest) LIT(BY, greatest, other, frame)

#define EACH_BLEND(Sample, Samples, Wides, LANES, mixture, mixtures)                                                   \
    if (count < LANES) {                                                                                               \
        EACH_VALUE(at, count) {                                                                                        \
            const uint32_t frame = frames[at], other = others[at];                                                     \
            const Sample mask = (Sample)(colors >> 8 * sizeof(Sample) * at % 64);                                      \
            made[at] = ((Sample)(mixture) & mask) | (frames[at] & ~mask);                                              \
        }                                                                                                              \
        return;                                                                                                        \
    }                                                                                                                  \
    const uint64_t masks[] = {colors, colors, colors, colors, colors, colors, colors, colors};                         \
    const Samples mask = LOAD(Samples, masks);                                                                         \
    for (size_t at = 0; at < count; at = next_block(at, LANES, count)) {                                               \
        const Samples stays = LOAD(Samples, frames + at) & ~mask;                                                      \
        const Wides frame = AS(Wides, LOAD(Samples, frames + at)), other = AS(Wides, LOAD(Samples, others + at));      \
        STORE(Samples, made + at, (AS(Samples, mixtures) & mask) | stays);                                             \
    }

// `weight` of the greatest sample is that of the mixture, the rest that of the frame. Where `colors` has zeros, the
// frame stays.
#define BLEND(name, Sample, Samples, Part, Wides, LANES, greatest, BY, MIXED, Alone, AloneWides, ALONE_LANES, ALONE)   \
    TARGET static void LEVEL(name)(                                                                                    \
        Sample *restrict made, const Sample *frames, const Sample *others, Sample weight, uint64_t colors,             \
        size_t count) {                                                                                                \
        const Part part = weight, rest = greatest - weight;                                                            \
        if (rest == 0) {                                                                                               \
            EACH_BLEND(Sample, Alone, AloneWides, ALONE_LANES, MIXED(BY, greatest), ALONE)                             \
        } else {                                                                                                       \
            EACH_BLEND(                                                                                                \
                Sample, Samples, Wides, LANES, BY((MIXED(BY, greatest)) * part + frame * rest),                        \
                BY((MIXED(BY, greatest)) * part + frame * rest))                                                       \
        }                                                                                                              \
    }
// A mixture alone has wider numbers, or those of the samples.
#define BLEND_8(name, MIXED, ...) BLEND(name, uint8_t, WordBytes, uint16_t, Words, 32, 255, BY_255, MIXED, __VA_ARGS__)
#define BLEND_16(name, MIXED, ...)                                                                                     \
    BLEND(name, uint16_t, LongWords, uint32_t, Longs, 16, 65535, BY_65535, MIXED, __VA_ARGS__)
#define BLENDS(name, MIXED)                                                                                            \
    BLEND_8(name##_8, MIXED, WordBytes, Words, 32, MIXED(BY_255, 255))                                                 \
    BLEND_16(name##_16, MIXED, LongWords, Longs, 16, MIXED(BY_65535, 65535))
#define NARROW_BLENDS(name, MIXED)                                                                                     \
    BLEND_8(name##_8, MIXED, Bytes, Bytes, 64, NARROW_##MIXED)                                                         \
    BLEND_16(name##_16, MIXED, Words, Words, 32, NARROW_##MIXED)
NARROW_BLENDS(lay, LAID)
BLENDS(multiply, MULTIPLIED)
BLENDS(screen, SCREENED)
BLENDS(overlay, OVERLAID)
NARROW_BLENDS(darken, DARKENED)
NARROW_BLENDS(lighten, LIGHTENED)
BLENDS(hard_light, HARD)
NARROW_BLENDS(difference, DIFFERING)
BLENDS(exclusion, EXCLUDED)
NARROW_BLENDS(add, ADDED)
NARROW_BLENDS(subtract, SUBTRACTED)
NARROW_BLENDS(average, AVERAGED)

// Floats hold the dividends of 8 bits and doubles those of 16, and rounding does not reach the next whole number: a
// quotient is at least a divisor's part below it.
#define DIVIDE(name, Sample, Samples, Wides, Reals, LANES, greatest)                                                   \
    TARGET static void LEVEL(name)(                                                                                    \
        Sample *restrict made, const Sample *frames, const Sample *others, uint64_t colors, size_t count) {            \
        if (count < LANES) {                                                                                           \
            EACH_VALUE(at, count) {                                                                                    \
                const uint32_t other = others[at], dividend = frames[at] * (uint32_t)greatest + other / 2;             \
                const Sample mask = (Sample)(colors >> 8 * sizeof(Sample) * at % 64);                                  \
                const uint32_t quotient = other == 0 ? 0 : LESSER(dividend / other, (uint32_t)greatest);               \
                made[at] = ((Sample)quotient & mask) | (frames[at] & ~mask);                                           \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        const uint64_t masks[] = {colors, colors};                                                                     \
        const Samples mask = LOAD(Samples, masks);                                                                     \
        for (size_t at = 0; at < count; at = next_block(at, LANES, count)) {                                           \
            const Samples stays = LOAD(Samples, frames + at) & ~mask;                                                  \
            const Wides other = AS(Wides, LOAD(Samples, others + at));                                                 \
            const Wides dividend = AS(Wides, LOAD(Samples, frames + at)) * greatest + (other >> 1);                    \
            const Wides divisor = GREATER(other, 0 * other + 1);                                                       \
            const Wides quotient = AS(Wides, AS(Reals, dividend) / AS(Reals, divisor)) & (Wides)(other != 0);          \
            STORE(Samples, made + at, (AS(Samples, LESSER(quotient, 0 * other + greatest)) & mask) | stays);           \
        }                                                                                                              \
    }
DIVIDE(divide_8, uint8_t, LongBytes, Longs, Floats, 16, 255)
DIVIDE(divide_16, uint16_t, GiantWords, GiantLongs, Doubles, 8, 65535)

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
#undef BLEND_8
#undef BLEND_16
#undef BLENDS
#undef NARROW_BLENDS
#undef DIVIDE
#undef EACH_BLEND
#undef OPAQUE
#undef BY_255
#undef BY_65535
#undef LESSER
#undef GREATER
#undef NARROW_LAID
#undef NARROW_DARKENED
#undef NARROW_LIGHTENED
#undef NARROW_DIFFERING
#undef NARROW_ADDED
#undef NARROW_SUBTRACTED
#undef NARROW_AVERAGED
#undef LAID
#undef MULTIPLIED
#undef SCREENED
#undef DARKENED
#undef LIGHTENED
#undef DIFFERING
#undef EXCLUDED
#undef ADDED
#undef SUBTRACTED
#undef AVERAGED
#undef LIT
#undef HARD
#undef OVERLAID
