// The calls of GBM that a headless display and shared buffers need, found at run time.
#pragma once
#include <dlfcn.h>
#include <gbm.h>
#include <sys/statfs.h>
#include <stddef.h>

#define SAFELIGHT_GBM_FUNCTIONS(X) \
    X(gbm_bo_create) X(gbm_bo_destroy) X(gbm_bo_get_fd) X(gbm_bo_get_handle) X(gbm_bo_get_modifier) X(gbm_bo_get_stride) \
    X(gbm_create_device) X(gbm_device_destroy) X(gbm_device_get_backend_name) \
    X(gbm_device_get_fd)

typedef struct {
#define SAFELIGHT_FIELD(name) __typeof__(name) *_Nonnull name;
    SAFELIGHT_GBM_FUNCTIONS(SAFELIGHT_FIELD)
#undef SAFELIGHT_FIELD
} safelight_gbm;

// Fills the table from an opened libgbm; returns null, or the name of a missing function.
static inline const char *_Nullable safelight_gbm_load(void *_Nonnull library, safelight_gbm *_Nonnull gbm) {
#define SAFELIGHT_LOAD(name) \
    { \
        void *symbol = dlsym(library, #name); \
        if (symbol == NULL) return #name; \
        gbm->name = (__typeof__(gbm->name))symbol; \
    }
    SAFELIGHT_GBM_FUNCTIONS(SAFELIGHT_LOAD)
#undef SAFELIGHT_LOAD
    return NULL;
}
