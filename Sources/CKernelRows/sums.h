// Sums of channels, for the instructions that TARGET names; included once for each. A pixel of four samples is one
// number, whose lowest bits are red's.

TARGET static uint32_t LEVEL(add_channels_8)(uint32_t *sums, const uint8_t *pixels, int all, size_t count) {
    Longs red = {0}, green = {0}, blue = {0}, alpha = {0}, seen = {0};
    const Longs every = (Longs){0} - (uint32_t)(all != 0);
    size_t at = 0;
    while (at + 16 <= count) {
        // 257 samples fit into 16 bits.
        const size_t end = count - at > 256 * 16 ? at + 256 * 16 : count;
        Words even = {0}, odd = {0};
        for (; at + 16 <= end; at += 16) {
            const Longs pixel = LOAD(Longs, pixels + 4 * at);
            const Longs counts = (Longs)(pixel > 0xFFFFFF) | every;
            even += (Words)(pixel & counts & 0xFF00FF);
            odd += (Words)((pixel & counts) >> 8 & 0xFF00FF);
            seen -= counts;
        }
        red += (Longs)even & 65535;
        blue += (Longs)even >> 16;
        green += (Longs)odd & 65535;
        alpha += (Longs)odd >> 16;
    }
    uint32_t counted = 0;
    EACH_VALUE(lane, 16) {
        sums[0] += red[lane];
        sums[1] += green[lane];
        sums[2] += blue[lane];
        sums[3] += alpha[lane];
        counted += seen[lane];
    }
    for (; at < count; at += 1) {
        if (all || pixels[4 * at + 3] > 0) {
            EACH_VALUE(channel, 4) { sums[channel] += pixels[4 * at + channel]; }
            counted += 1;
        }
    }
    return counted;
}

TARGET static uint32_t LEVEL(add_channels_16)(uint32_t *sums, const uint16_t *pixels, int all, size_t count) {
    Longs even = {0}, odd = {0};
    Giants seen = {0};
    const Giants every = (Giants){0} - (uint64_t)(all != 0);
    size_t at = 0;
    for (; at + 8 <= count; at += 8) {
        const Giants pixel = LOAD(Giants, pixels + 4 * at);
        const Giants counts = (Giants)(pixel > 0xFFFFFFFFFFFF) | every;
        even += (Longs)(pixel & counts) & 65535;
        odd += (Longs)(pixel & counts) >> 16;
        seen -= counts;
    }
    uint32_t counted = 0;
    EACH_VALUE(lane, 8) {
        sums[0] += even[2 * lane];
        sums[1] += odd[2 * lane];
        sums[2] += even[2 * lane + 1];
        sums[3] += odd[2 * lane + 1];
        counted += (uint32_t)seen[lane];
    }
    for (; at < count; at += 1) {
        if (all || pixels[4 * at + 3] > 0) {
            EACH_VALUE(channel, 4) { sums[channel] += pixels[4 * at + channel]; }
            counted += 1;
        }
    }
    return counted;
}
