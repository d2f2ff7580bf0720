#pragma once

#include <stddef.h>
#include <stdint.h>

// ISA-L's compression, whole buffers at a time. Its stream is a struct of 80 KB that Swift cannot import.

/// The memory that cisal_compress works in; 0 where ISA-L is not built in: on other processors, and without the trait.
size_t cisal_memory_bytes(void);

/// Compresses `count` bytes, fewer than 2³¹, at level 1 to a zlib stream. `memory` holds cisal_memory_bytes, aligned as
/// malloc aligns; nothing in it matters before or afterwards. Returns how long the stream is, and 0 where it does not fit
/// into `capacity`.
size_t cisal_compress(void *memory, const uint8_t *bytes, size_t count, uint8_t *stream, size_t capacity);
