// HarfBuzz's headers and a table of its functions, filled at run time: nothing here makes the binary need libharfbuzz.
#pragma once
#include <dlfcn.h>
#include <harfbuzz/hb.h>
#include <stddef.h>

#define SAFELIGHT_HARFBUZZ_FUNCTIONS(X) \
    X(hb_blob_create) X(hb_blob_destroy) X(hb_buffer_add_utf8) X(hb_buffer_create) X(hb_buffer_destroy) \
    X(hb_buffer_get_glyph_infos) X(hb_buffer_get_glyph_positions) X(hb_buffer_guess_segment_properties) \
    X(hb_draw_funcs_create) X(hb_draw_funcs_set_cubic_to_func) X(hb_draw_funcs_set_line_to_func) \
    X(hb_draw_funcs_set_move_to_func) X(hb_draw_funcs_set_quadratic_to_func) X(hb_face_create) \
    X(hb_face_destroy) X(hb_face_get_glyph_count) X(hb_face_get_upem) X(hb_font_create) X(hb_font_destroy) \
    X(hb_font_get_h_extents) X(hb_font_make_immutable) X(hb_shape)

typedef struct {
#define SAFELIGHT_FIELD(name) __typeof__(name) *_Nonnull name;
    SAFELIGHT_HARFBUZZ_FUNCTIONS(SAFELIGHT_FIELD)
#undef SAFELIGHT_FIELD
    // Since HarfBuzz 7 hb_font_draw_glyph; before, hb_font_get_glyph_shape.
    void (*_Nonnull draw)(hb_font_t *, hb_codepoint_t, hb_draw_funcs_t *, void *);
} safelight_harfbuzz;

// Fills the table from an opened libharfbuzz; returns null, or the name of a missing function.
static inline const char *_Nullable safelight_harfbuzz_load(
    void *_Nonnull library, safelight_harfbuzz *_Nonnull harfbuzz) {
#define SAFELIGHT_LOAD(name) \
    { \
        void *symbol = dlsym(library, #name); \
        if (symbol == NULL) return #name; \
        harfbuzz->name = (__typeof__(harfbuzz->name))symbol; \
    }
    SAFELIGHT_HARFBUZZ_FUNCTIONS(SAFELIGHT_LOAD)
#undef SAFELIGHT_LOAD
    void *draw = dlsym(library, "hb_font_draw_glyph");
    if (draw == NULL) draw = dlsym(library, "hb_font_get_glyph_shape");
    if (draw == NULL) return "hb_font_draw_glyph";
    harfbuzz->draw = (__typeof__(harfbuzz->draw))draw;
    return NULL;
}
