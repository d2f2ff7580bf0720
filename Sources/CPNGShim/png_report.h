#pragma once

#include "CPNGShim.h"

#include <png.h>

// libpng's error and warning functions. The error pointer of the png struct must be a CPNGReport.

void cpng_begin_report(const CPNGReport *report);
PNG_NORETURN void cpng_fail(png_structp png, png_const_charp message);
void cpng_warn(png_structp png, png_const_charp message);

static inline bool cpng_is_little_endian(void) {
    const uint16_t probe = 1;
    return *(const uint8_t *)&probe == 1;
}
