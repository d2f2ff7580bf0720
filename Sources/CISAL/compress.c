#include "CISAL.h"

#if defined(SAFELIGHT_ISAL) && defined(__x86_64__)

#include <isa-l/igzip_lib.h>

typedef struct {
    struct isal_zstream stream;
    uint8_t level[ISAL_DEF_LVL1_DEFAULT];
} Memory;

size_t cisal_memory_bytes(void) {
    return sizeof(Memory);
}

size_t cisal_compress(void *memory, const uint8_t *bytes, size_t count, uint8_t *stream, size_t capacity) {
    // Its totals have 32 bits.
    if (count > INT32_MAX) {
        return 0;
    }
    Memory *work = memory;
    struct isal_zstream *state = &work->stream;
    isal_deflate_init(state);
    state->level = 1;
    state->level_buf = work->level;
    state->level_buf_size = sizeof work->level;
    state->gzip_flag = IGZIP_ZLIB;
    state->end_of_stream = 1;
    state->next_in = (uint8_t *)bytes;
    state->avail_in = (uint32_t)count;
    state->next_out = stream;
    state->avail_out = capacity > INT32_MAX ? INT32_MAX : (uint32_t)capacity;
    const int result = isal_deflate(state);
    return result == COMP_OK && state->internal_state.state == ZSTATE_END ? state->total_out : 0;
}

#else

size_t cisal_memory_bytes(void) {
    return 0;
}

size_t cisal_compress(void *memory, const uint8_t *bytes, size_t count, uint8_t *stream, size_t capacity) {
    (void)memory, (void)bytes, (void)count, (void)stream, (void)capacity;
    return 0;
}

#endif
