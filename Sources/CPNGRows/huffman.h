#pragma once

#include <stddef.h>
#include <stdint.h>

/// The most symbols of an alphabet of deflate: bytes, the end of a block and lengths (RFC 1951, 3.2.5).
enum { most_symbols = 286 };

/// Finds the code lengths, of at most `limit` bits, that take the fewest bits for symbols that occur so often; 0 for
/// those that do not occur. At least one of `count` symbols occurs, and 2^limit are not fewer than those that do.
void cpng_code_lengths(const uint32_t *counts, size_t count, unsigned limit, uint8_t *lengths);

/// Finds the codes of symbols with these lengths (RFC 1951, 3.2.2), their first bits lowest.
void cpng_codes(const uint8_t *lengths, size_t count, uint16_t *codes);
