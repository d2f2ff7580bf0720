// OpenGL ES's headers and a table of the entry points in use, filled through eglGetProcAddress.
#pragma once
// Extension functions are declared for their types alone; none is linked.
#define GL_GLEXT_PROTOTYPES
#include <GLES3/gl32.h>
#include <GLES2/gl2ext.h>
#include <stddef.h>

#define SAFELIGHT_GLES_FUNCTIONS(X) \
    X(glActiveTexture) X(glAttachShader) X(glBeginQuery) X(glBindBuffer) X(glBindBufferBase) X(glBindBufferRange) \
    X(glBindFramebuffer) X(glBindImageTexture) X(glBindSampler) X(glBindTexture) X(glBindVertexArray) \
    X(glBindVertexBuffer) X(glBlendColor) X(glBlendEquationSeparate) X(glBlendFuncSeparate) X(glBlitFramebuffer) \
    X(glBufferData) X(glBufferSubData) X(glCheckFramebufferStatus) X(glClearBufferfv) X(glClearBufferiv) \
    X(glClearBufferuiv) X(glClientWaitSync) X(glColorMask) X(glCompileShader) X(glCopyBufferSubData) \
    X(glCreateProgram) X(glCreateShader) X(glCullFace) X(glDeleteBuffers) X(glDeleteFramebuffers) X(glDeleteProgram) \
    X(glDeleteQueries) X(glDeleteSamplers) X(glDeleteShader) X(glDeleteSync) X(glDeleteTextures) \
    X(glDeleteVertexArrays) X(glDepthFunc) X(glDepthMask) X(glDepthRangef) X(glDisable) X(glDisableVertexAttribArray) \
    X(glDispatchCompute) X(glDispatchComputeIndirect) X(glDrawArrays) X(glDrawArraysIndirect) X(glDrawArraysInstanced) \
    X(glDrawBuffers) X(glDrawElementsIndirect) X(glDrawElementsInstanced) X(glEnable) X(glEnableVertexAttribArray) \
    X(glEndQuery) X(glFenceSync) X(glFlush) X(glFramebufferTexture2D) X(glFramebufferTextureLayer) X(glFrontFace) \
    X(glGenBuffers) X(glGenFramebuffers) X(glGenQueries) X(glGenSamplers) X(glGenTextures) X(glGenVertexArrays) \
    X(glGenerateMipmap) X(glGetBooleanv) X(glGetError) X(glGetInteger64v) X(glGetIntegeri_v) X(glGetIntegerv) \
    X(glGetInternalformativ) \
    X(glGetProgramBinary) X(glGetProgramInfoLog) X(glGetProgramInterfaceiv) X(glGetProgramResourceName) \
    X(glGetProgramResourceiv) X(glGetProgramiv) X(glGetQueryObjectuiv) X(glGetShaderInfoLog) X(glGetShaderiv) \
    X(glGetString) X(glGetStringi) X(glGetUniformLocation) X(glGetUniformiv) X(glInvalidateFramebuffer) \
    X(glLinkProgram) X(glMapBufferRange) X(glMemoryBarrier) X(glPixelStorei) X(glPolygonOffset) X(glProgramBinary) \
    X(glProgramParameteri) X(glReadBuffer) X(glReadPixels) X(glSamplerParameterf) X(glSamplerParameterfv) \
    X(glSamplerParameteri) X(glScissor) X(glShaderSource) X(glStencilFuncSeparate) X(glStencilMask) \
    X(glStencilMaskSeparate) X(glStencilOpSeparate) X(glTexParameteri) X(glTexStorage2D) X(glTexStorage2DMultisample) \
    X(glTexStorage3D) X(glTexSubImage2D) X(glTexSubImage3D) X(glUniform1i) X(glUniform1ui) X(glUniform2ui) \
    X(glUnmapBuffer) X(glUseProgram) X(glVertexAttribBinding) X(glVertexAttribFormat) X(glVertexAttribIFormat) \
    X(glVertexBindingDivisor) X(glViewport)

// Core in OpenGL ES 3.2 or of extensions; null where the driver has none.
#define SAFELIGHT_GLES_DEBUG(X) \
    X(glDebugMessageCallback) X(glDebugMessageInsert) X(glObjectLabel) X(glPopDebugGroup) X(glPushDebugGroup)
#define SAFELIGHT_GLES_RESET(X) X(glGetGraphicsResetStatus)
#define SAFELIGHT_GLES_COPY_IMAGE(X) X(glCopyImageSubData)
#define SAFELIGHT_GLES_TEXTURE_VIEW(X) X(glTextureViewEXT)
#define SAFELIGHT_GLES_BUFFER_STORAGE(X) X(glBufferStorageEXT)
#define SAFELIGHT_GLES_EGL_IMAGE(X) X(glEGLImageTargetTexture2DOES)
#define SAFELIGHT_GLES_INDEPENDENT_BLENDING(X) \
    X(glBlendEquationSeparatei) X(glBlendFuncSeparatei) X(glColorMaski) X(glEnablei)
#define SAFELIGHT_GLES_BASE_VERTEX(X) X(glDrawElementsInstancedBaseVertex)
#define SAFELIGHT_GLES_DEPTH_BIAS_CLAMP(X) X(glPolygonOffsetClampEXT)
#define SAFELIGHT_GLES_MULTISAMPLE_ARRAYS(X) X(glTexStorage3DMultisample)
#define SAFELIGHT_GLES_TIMERS(X) X(glGetQueryivEXT) X(glGetQueryObjectui64vEXT) X(glQueryCounterEXT)

// Every group above.
#define SAFELIGHT_GLES_OPTIONAL(X) \
    SAFELIGHT_GLES_DEBUG(X) SAFELIGHT_GLES_RESET(X) SAFELIGHT_GLES_COPY_IMAGE(X) SAFELIGHT_GLES_TEXTURE_VIEW(X) \
    SAFELIGHT_GLES_BUFFER_STORAGE(X) SAFELIGHT_GLES_EGL_IMAGE(X) \
    SAFELIGHT_GLES_INDEPENDENT_BLENDING(X) SAFELIGHT_GLES_BASE_VERTEX(X) \
    SAFELIGHT_GLES_DEPTH_BIAS_CLAMP(X) SAFELIGHT_GLES_MULTISAMPLE_ARRAYS(X) SAFELIGHT_GLES_TIMERS(X)

typedef struct {
#define SAFELIGHT_FIELD(name) __typeof__(name) *_Nonnull name;
    SAFELIGHT_GLES_FUNCTIONS(SAFELIGHT_FIELD)
#undef SAFELIGHT_FIELD
#define SAFELIGHT_FIELD(name) __typeof__(name) *_Nullable name;
    SAFELIGHT_GLES_OPTIONAL(SAFELIGHT_FIELD)
#undef SAFELIGHT_FIELD
} safelight_gles;

typedef void (*_Nullable safelight_proc)(void);

// Looks an entry point up under its name with the suffix of the extension that brings it; null without a suffix.
// A pointer that is not null says nothing of support (eglGetProcAddress may hand out stubs): ask the context first.
static inline safelight_proc safelight_gles_find(
    safelight_proc (*_Nonnull get)(const char *_Nullable), const char *_Nonnull name, const char *_Nullable suffix) {
    char full[64];
    size_t length = 0;
    if (suffix == NULL) return NULL;
    for (const char *from = name; *from != 0 && length < sizeof full - 4; ++from) full[length++] = *from;
    for (const char *from = suffix; *from != 0 && length < sizeof full - 1; ++from) full[length++] = *from;
    full[length] = 0;
    return get(full);
}

// Fills the table's core part; returns null, or the name of a missing function.
// `get` is eglGetProcAddress, which since EGL 1.5 (and EGL_KHR_get_all_proc_addresses) finds core functions too.
static inline const char *_Nullable safelight_gles_load(
    safelight_proc (*_Nonnull get)(const char *_Nullable), safelight_gles *_Nonnull gl) {
#define SAFELIGHT_LOAD(name) \
    { \
        safelight_proc found = get(#name); \
        if (found == NULL) return #name; \
        gl->name = (__typeof__(gl->name))found; \
    }
    SAFELIGHT_GLES_FUNCTIONS(SAFELIGHT_LOAD)
#undef SAFELIGHT_LOAD
#define SAFELIGHT_LOAD(name) gl->name = NULL;
    SAFELIGHT_GLES_OPTIONAL(SAFELIGHT_LOAD)
#undef SAFELIGHT_LOAD
    return NULL;
}

// Fills one group of the rest, by the suffix under which the context has it: null for not at all.
#define SAFELIGHT_LOAD(name) gl->name = (__typeof__(gl->name))safelight_gles_find(get, #name, suffix);
#define SAFELIGHT_LOADER(function, LIST) \
    static inline void function( \
        safelight_proc (*_Nonnull get)(const char *_Nullable), safelight_gles *_Nonnull gl, const char *_Nullable suffix) { \
        LIST(SAFELIGHT_LOAD) \
    }
SAFELIGHT_LOADER(safelight_gles_load_debug, SAFELIGHT_GLES_DEBUG)
SAFELIGHT_LOADER(safelight_gles_load_reset, SAFELIGHT_GLES_RESET)
SAFELIGHT_LOADER(safelight_gles_load_copy_image, SAFELIGHT_GLES_COPY_IMAGE)
SAFELIGHT_LOADER(safelight_gles_load_texture_view, SAFELIGHT_GLES_TEXTURE_VIEW)
SAFELIGHT_LOADER(safelight_gles_load_buffer_storage, SAFELIGHT_GLES_BUFFER_STORAGE)
SAFELIGHT_LOADER(safelight_gles_load_egl_image, SAFELIGHT_GLES_EGL_IMAGE)
SAFELIGHT_LOADER(safelight_gles_load_independent_blending, SAFELIGHT_GLES_INDEPENDENT_BLENDING)
SAFELIGHT_LOADER(safelight_gles_load_base_vertex, SAFELIGHT_GLES_BASE_VERTEX)
SAFELIGHT_LOADER(safelight_gles_load_depth_bias_clamp, SAFELIGHT_GLES_DEPTH_BIAS_CLAMP)
SAFELIGHT_LOADER(safelight_gles_load_multisample_arrays, SAFELIGHT_GLES_MULTISAMPLE_ARRAYS)
SAFELIGHT_LOADER(safelight_gles_load_timers, SAFELIGHT_GLES_TIMERS)
#undef SAFELIGHT_LOADER
#undef SAFELIGHT_LOAD
