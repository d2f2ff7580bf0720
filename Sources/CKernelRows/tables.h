// Pixels of four samples, as one number whose lowest bits are red's, looked up in tables.

TARGET static void LEVEL(look_up_8)(uint8_t *made, const uint8_t *pixels, const uint32_t *tables, size_t count) {
    size_t first = 0;
#if defined(LOOKS_UP_BYTES)
    if (__builtin_cpu_supports("avx512vbmi")) {
        first = look_up_8_vbmi(made, pixels, tables, count);
    }
#endif
    EACH_VALUE(rest, count - first) {
        const size_t at = first + rest;
        uint32_t pixel;
        memcpy(&pixel, pixels + 4 * at, sizeof pixel);
        const uint32_t red = tables[pixel & 255], green = tables[256 + (pixel >> 8 & 255)];
        const uint32_t blue = tables[512 + (pixel >> 16 & 255)], alpha = tables[768 + (pixel >> 24)];
        pixel = red | green | blue | alpha;
        memcpy(made + 4 * at, &pixel, sizeof pixel);
    }
}
