#include "png_report.h"

#include <string.h>

static void append(char *text, size_t capacity, size_t used, const char *addition) {
    if (used + 1 >= capacity) {
        return;
    }
    size_t count = strlen(addition);
    if (count > capacity - used - 1) {
        count = capacity - used - 1;
    }
    memcpy(text + used, addition, count);
    text[used + count] = '\0';
}

void cpng_begin_report(const CPNGReport *report) {
    if (report->message_capacity > 0) {
        report->message[0] = '\0';
    }
    if (report->warnings_capacity > 0) {
        report->warnings[0] = '\0';
    }
}

void cpng_fail(png_structp png, png_const_charp message) {
    const CPNGReport *report = png_get_error_ptr(png);
    append(report->message, report->message_capacity, 0, message);
    png_longjmp(png, 1);
}

void cpng_warn(png_structp png, png_const_charp message) {
    const CPNGReport *report = png_get_error_ptr(png);
    if (report->warnings_capacity == 0) {
        return;
    }
    if (report->warnings[0] != '\0') {
        append(report->warnings, report->warnings_capacity, strlen(report->warnings), "\n");
    }
    append(report->warnings, report->warnings_capacity, strlen(report->warnings), message);
}
