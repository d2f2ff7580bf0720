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

// Workaround "isal-first-bytes", for ISA-L up to 2.32 on x86-64: where level 1 writes the first byte of a stream
// (.write_first_byte in igzip_icf_body_h1_gr_bt.asm), it takes the hash of the third byte from a register that still
// holds the address of the state, so that matches much later depend on that address. The code for the last bytes of the
// input is without fault, and it is this code that compresses input of 17 bytes or fewer; with fewer than 4 it does not
// pass the first byte. So the first 4 bytes are flushed: a block of their own, 10 bytes longer.
enum { first_bytes = 4 };

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
    state->next_in = (uint8_t *)bytes;
    state->next_out = stream;
    state->avail_out = capacity > INT32_MAX ? INT32_MAX : (uint32_t)capacity;

    state->avail_in = count < first_bytes ? (uint32_t)count : first_bytes;
    state->flush = SYNC_FLUSH;
    if (isal_deflate(state) != COMP_OK || state->avail_in > 0) {
        return 0;
    }
    state->avail_in = (uint32_t)(count - state->total_in);
    state->flush = NO_FLUSH;
    state->end_of_stream = 1;
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
