// The functions of a level, whose macros levels.c sets.

TARGET static void LEVEL(filter_row)(
    CPNGFilter filter, const uint8_t *row, const uint8_t *above, size_t count, size_t step, uint8_t *out) {
    const uint8_t *left = row - step, *corner = above - step;
    switch (filter) {
    case CPNG_FILTER_SUB:
        FILTERED(left[i])
        return;
    case CPNG_FILTER_UP:
        FILTERED(above[i])
        return;
    case CPNG_FILTER_AVERAGE:
        FILTERED((left[i] + above[i]) / 2)
        return;
    case CPNG_FILTER_PAETH:
        FILTERED(paeth(left[i], above[i], corner[i]))
        return;
    default:
        memcpy(out, row, count);
    }
}

TARGET static void LEVEL(unfilter_eight)(
    const StaggeredRows *rows, const uint8_t *filters, size_t step) {
    switch (step) {
    case 3:
        unfilter_eight(rows, filters, (StaggeredPixel){3, 4, 4});
        return;
    case 4:
        unfilter_eight(rows, filters, (StaggeredPixel){4, 4, 4});
        return;
    case 6:
        unfilter_eight(rows, filters, (StaggeredPixel){6, 6, 8});
        return;
    default:
        unfilter_eight(rows, filters, (StaggeredPixel){8, 8, 8});
    }
}

TARGET static size_t LEVEL(sum_of_differences)(const uint8_t *bytes, size_t count) {
    size_t sum = 0;
    for (size_t i = 0; i < count; i += 1) {
        const uint8_t negative = (uint8_t)-bytes[i];
        sum += bytes[i] < negative ? bytes[i] : negative;
    }
    return sum;
}

TARGET static void LEVEL(put_tokens)(
    Writer *writer, const uint8_t *bytes, const Token *tokens, size_t count, const Code *code) {
    Writer made = *writer;
    const LITERALS literals = LITERALS_OF(code);
    for (size_t i = 0; i < count; i += 1) {
        PUT_LITERALS(&made, bytes, tokens[i].literals, &literals);
        bytes += tokens[i].literals + tokens[i].length;
        put_match(&made, tokens[i], code);
    }
    put(&made, code->codes[end_of_block], code->lengths[end_of_block]);
    *writer = made;
}

static const CPNGLevel LEVEL(level) = {
    LEVEL_NAME,         PACK_ROW, LEVEL(filter_row), LEVEL(sum_of_differences), LEVEL(unfilter_eight),
    LEVEL(put_tokens),
};
