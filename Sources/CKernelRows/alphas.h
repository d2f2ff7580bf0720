// Colors times alpha in 16 bits, and such colors divided by alpha, for the instructions that TARGET names; included
// once for each. All work on eight pixels at once; fewer are followed by zeros.

#define EIGHT_PIXELS(name, Sample, Made)                                                                               \
    if (count < 8) {                                                                                                   \
        Sample padded[32] = {0};                                                                                       \
        Made eight[32];                                                                                                \
        memcpy(padded, pixels, 4 * count * sizeof(Sample));                                                            \
        LEVEL(name)(eight, padded, 8);                                                                                 \
        memcpy(made, eight, 4 * count * sizeof(Made));                                                                 \
        return;                                                                                                        \
    }

TARGET static void LEVEL(multiply_alpha_8)(uint16_t *restrict made, const uint8_t *pixels, size_t count) {
    EIGHT_PIXELS(multiply_alpha_8, uint8_t, uint16_t)
    for (size_t at = 0; at < count; at = next_block(at, 8, count)) {
        const GiantLongs four = LOAD(GiantLongs, pixels + 4 * at), alpha = (four >> 24) * 257;
        Giants result = AS(Giants, alpha) << 48;
        for (int channel = 0; channel < 3; channel += 1) {
            const GiantLongs color = four >> 8 * channel & 255;
            result |= AS(Giants, (color * alpha + 127) / 255) << 16 * channel;
        }
        STORE(Giants, made + 4 * at, result);
    }
}

TARGET static void LEVEL(multiply_alpha_16)(uint16_t *restrict made, const uint16_t *pixels, size_t count) {
    EIGHT_PIXELS(multiply_alpha_16, uint16_t, uint16_t)
    for (size_t at = 0; at < count; at = next_block(at, 8, count)) {
        const Giants four = LOAD(Giants, pixels + 4 * at);
        const GiantLongs alpha = AS(GiantLongs, four >> 48);
        Giants result = AS(Giants, alpha) << 48;
        for (int channel = 0; channel < 3; channel += 1) {
            const GiantLongs color = AS(GiantLongs, four >> 16 * channel & 65535);
            result |= AS(Giants, (color * alpha + 32767) / 65535) << 16 * channel;
        }
        STORE(Giants, made + 4 * at, result);
    }
}

// A quotient of `color` times `greatest`, rounded; 0 if alpha is 0, as color is then. In double precision rounding does
// not reach the next whole number: a quotient has 16 bits, and so has its divisor.
#define DIVIDED(greatest) AS(GiantLongs, AS(Doubles, color * greatest + (alpha >> 1)) / AS(Doubles, divisor))

TARGET static void LEVEL(divide_alpha_8)(uint8_t *restrict made, const uint16_t *pixels, size_t count) {
    EIGHT_PIXELS(divide_alpha_8, uint16_t, uint8_t)
    for (size_t at = 0; at < count; at = next_block(at, 8, count)) {
        const Giants four = LOAD(Giants, pixels + 4 * at);
        const GiantLongs alpha = AS(GiantLongs, four >> 48);
        const GiantLongs divisor = __builtin_elementwise_max(alpha, 1 + (GiantLongs){0});
        GiantLongs result = (alpha + 128) / 257 << 24;
        for (int channel = 0; channel < 3; channel += 1) {
            const GiantLongs color =
                __builtin_elementwise_min(AS(GiantLongs, four >> 16 * channel & 65535), alpha);
            result |= DIVIDED(255) << 8 * channel;
        }
        STORE(GiantLongs, made + 4 * at, result);
    }
}

TARGET static void LEVEL(divide_alpha_16)(uint16_t *restrict made, const uint16_t *pixels, size_t count) {
    EIGHT_PIXELS(divide_alpha_16, uint16_t, uint16_t)
    for (size_t at = 0; at < count; at = next_block(at, 8, count)) {
        const Giants four = LOAD(Giants, pixels + 4 * at);
        const GiantLongs alpha = AS(GiantLongs, four >> 48);
        const GiantLongs divisor = __builtin_elementwise_max(alpha, 1 + (GiantLongs){0});
        Giants result = AS(Giants, alpha) << 48;
        for (int channel = 0; channel < 3; channel += 1) {
            const GiantLongs color =
                __builtin_elementwise_min(AS(GiantLongs, four >> 16 * channel & 65535), alpha);
            result |= AS(Giants, DIVIDED(65535)) << 16 * channel;
        }
        STORE(Giants, made + 4 * at, result);
    }
}

TARGET static void LEVEL(premultiply_8)(uint8_t *restrict made, const uint8_t *pixels, size_t count) {
    EIGHT_PIXELS(premultiply_8, uint8_t, uint8_t)
    for (size_t at = 0; at < count; at = next_block(at, 8, count)) {
        const GiantLongs four = LOAD(GiantLongs, pixels + 4 * at), alpha = four >> 24;
        GiantLongs result = alpha << 24;
        for (int channel = 0; channel < 3; channel += 1) {
            const GiantLongs color = four >> 8 * channel & 255;
            result |= (color * alpha + 127) / 255 << 8 * channel;
        }
        STORE(GiantLongs, made + 4 * at, result);
    }
}

// A quotient rounded down, at most the greatest sample; the color itself where alpha is 0. A quotient that is not whole
// lies so far below the next whole number that double precision does not reach that.
#define FLOOR(greatest)                                                                                                \
    __builtin_elementwise_min(                                                                                         \
        AS(GiantLongs, AS(Doubles, color * greatest) / AS(Doubles, divisor)), (GiantLongs){0} + greatest)
#define DIVISOR(greatest) alpha + ((GiantLongs)(alpha == 0) & greatest)

TARGET static void LEVEL(unpremultiply_8)(uint8_t *restrict made, const uint8_t *pixels, size_t count) {
    EIGHT_PIXELS(unpremultiply_8, uint8_t, uint8_t)
    for (size_t at = 0; at < count; at = next_block(at, 8, count)) {
        const GiantLongs four = LOAD(GiantLongs, pixels + 4 * at), alpha = four >> 24;
        const GiantLongs divisor = DIVISOR(255);
        GiantLongs result = alpha << 24;
        for (int channel = 0; channel < 3; channel += 1) {
            const GiantLongs color = four >> 8 * channel & 255;
            result |= FLOOR(255) << 8 * channel;
        }
        STORE(GiantLongs, made + 4 * at, result);
    }
}

TARGET static void LEVEL(unpremultiply_16)(uint16_t *restrict made, const uint16_t *pixels, size_t count) {
    EIGHT_PIXELS(unpremultiply_16, uint16_t, uint16_t)
    for (size_t at = 0; at < count; at = next_block(at, 8, count)) {
        const Giants four = LOAD(Giants, pixels + 4 * at);
        const GiantLongs alpha = AS(GiantLongs, four >> 48);
        const GiantLongs divisor = DIVISOR(65535);
        Giants result = AS(Giants, alpha) << 48;
        for (int channel = 0; channel < 3; channel += 1) {
            const GiantLongs color = AS(GiantLongs, four >> 16 * channel & 65535);
            result |= AS(Giants, FLOOR(65535)) << 16 * channel;
        }
        STORE(Giants, made + 4 * at, result);
    }
}

#undef EIGHT_PIXELS
#undef DIVIDED
#undef FLOOR
#undef DIVISOR
