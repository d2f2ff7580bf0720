// EGL's headers and a table of its entry points, filled at run time: nothing here makes the binary need libEGL.
#pragma once
#define EGL_EGLEXT_PROTOTYPES 1
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>
#include <stddef.h>

#define SAFELIGHT_EGL_FUNCTIONS(X) \
    X(eglBindAPI) X(eglChooseConfig) X(eglCreateContext) X(eglCreatePbufferSurface) X(eglDestroyContext) \
    X(eglDestroySurface) X(eglGetError) X(eglGetProcAddress) X(eglInitialize) X(eglMakeCurrent) X(eglQueryContext) \
    X(eglQueryString) \
    X(eglReleaseThread)

// Entry points of extensions; null where the driver has none.
#define SAFELIGHT_EGL_EXTENSIONS(X) \
    X(eglGetPlatformDisplayEXT) X(eglQueryDevicesEXT) X(eglQueryDeviceStringEXT) X(eglQueryDeviceAttribEXT) \
    X(eglQueryDeviceBinaryEXT) \
    X(eglQueryDisplayAttribEXT) X(eglDebugMessageControlKHR) \
    X(eglCreateImageKHR) X(eglDestroyImageKHR) X(eglExportDMABUFImageQueryMESA) X(eglExportDMABUFImageMESA)

typedef struct {
#define SAFELIGHT_FIELD(name) __typeof__(name) *_Nonnull name;
    SAFELIGHT_EGL_FUNCTIONS(SAFELIGHT_FIELD)
#undef SAFELIGHT_FIELD
#define SAFELIGHT_FIELD(name) __typeof__(name) *_Nullable name;
    SAFELIGHT_EGL_EXTENSIONS(SAFELIGHT_FIELD)
#undef SAFELIGHT_FIELD
} safelight_egl;

// Fills the table from an opened libEGL; returns null, or the name of a missing core function.
static inline const char *_Nullable safelight_egl_load(void *_Nonnull library, safelight_egl *_Nonnull egl) {
#define SAFELIGHT_LOAD(name) \
    { \
        void *symbol = dlsym(library, #name); \
        if (symbol == NULL) return #name; \
        egl->name = (__typeof__(egl->name))symbol; \
    }
    SAFELIGHT_EGL_FUNCTIONS(SAFELIGHT_LOAD)
#undef SAFELIGHT_LOAD
#define SAFELIGHT_LOAD(name) egl->name = (__typeof__(egl->name))egl->eglGetProcAddress(#name);
    SAFELIGHT_EGL_EXTENSIONS(SAFELIGHT_LOAD)
#undef SAFELIGHT_LOAD
    return NULL;
}
