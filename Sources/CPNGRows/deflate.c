#include "deflate.h"
#include "levels.h"

#include <stdlib.h>

// Deflate for filtered rows of pictures, which are noise around zero and runs of zeros. So a block holds bytes, and
// runs of zeros as matches at a distance of 1. Where a sample says that repetitions from anywhere, as of dithers and of
// letters, take less than 0.8 of that, the block holds those.

// Four codes of at most 14 bits and what waits of the byte before fit into 64 bits. Codes of fewer would take room from
// frequent bytes.
enum { longest_code = 14 };
// Four bytes are found again by so many bits of their hash.
enum { head_bits = 13 };
// Of the middle of a block, to see whether matches pay.
enum { sampled_bytes = 4096 };

struct CPNGDeflater {
    Token *tokens;
    uint32_t *heads;
    // Of the block before: bits that do not fill a byte.
    uint64_t waiting;
    unsigned waiting_count;
};

CPNGDeflater *cpng_deflater_create(void) {
    CPNGDeflater *deflater = calloc(1, sizeof *deflater);
    if (deflater == NULL) {
        return NULL;
    }
    // A match has at least four bytes and a run seven; the sample's come behind the block's.
    deflater->tokens = malloc(sizeof(Token) * (cpng_block_bytes / 4 + sampled_bytes / 4 + 2));
    deflater->heads = malloc(sizeof(uint32_t) << head_bits);
    if (deflater->tokens == NULL || deflater->heads == NULL) {
        cpng_deflater_release(deflater);
        return NULL;
    }
    return deflater;
}

void cpng_deflater_release(CPNGDeflater *deflater) {
    free(deflater->tokens);
    free(deflater->heads);
    free(deflater);
}

static inline uint64_t load_word(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

// MARK: Finding

// A bit for each of eight words that is zero.
static inline unsigned zero_words(const uint8_t *bytes) {
    unsigned zeros = 0;
    for (unsigned word = 0; word < 8; word += 1) {
        zeros |= (unsigned)(load_word(bytes + 8 * word) == 0) << word;
    }
    return zeros;
}

// Where the zeros end that begin before `at`.
static inline size_t end_of_zeros(const uint8_t *bytes, size_t at, size_t count) {
    for (; at + 8 <= count; at += 8) {
        const uint64_t word = load_word(bytes + at);
        if (word != 0) {
            return at + (size_t)__builtin_ctzll(word) / 8;
        }
    }
    while (at < count && bytes[at] == 0) {
        at += 1;
    }
    return at;
}

// Finds runs of zeros that fill a word of eight bytes at a multiple of eight; not in the last bytes that fill no 64.
static size_t find_runs(const uint8_t *bytes, size_t count, Token *tokens) {
    size_t found = 0;
    // Behind the last match.
    size_t end = 0;
    for (size_t at = 0; at + 64 <= count; at += 64) {
        for (unsigned zeros = zero_words(bytes + at); zeros != 0; zeros &= zeros - 1) {
            size_t start = at + 8 * (size_t)__builtin_ctz(zeros);
            if (start < end) {
                continue;
            }
            const size_t stop = end_of_zeros(bytes, start + 8, count);
            if (start >= end + 8) {
                // The word before is not zero, or the run would have been found there.
                start -= (size_t)__builtin_clzll(load_word(bytes + start - 8)) / 8;
            }
            size_t literals = start + 1 - end;
            end = start + 1;
            while (end + 3 <= stop) {
                const size_t length = stop - end < 258 ? stop - end : 258;
                tokens[found++] = (Token){(uint32_t)literals, (uint16_t)length, 1};
                end += length;
                literals = 0;
            }
            if (stop >= at + 128) {
                at = (stop & ~(size_t)63) - 64;
                break;
            }
        }
    }
    tokens[found++] = (Token){(uint32_t)(count - end), 0, 0};
    return found;
}

// Finds repetitions of at least four bytes, each where the same four stood last.
static size_t find_matches(const uint8_t *bytes, size_t count, uint32_t *heads, Token *tokens) {
    memset(heads, 0, sizeof(uint32_t) << head_bits);
    size_t found = 0;
    size_t end = 0;
    // Where nothing repeats, fewer and fewer bytes are looked at.
    size_t misses = 0;
    for (size_t at = 0; at + 8 <= count;) {
        const uint64_t word = load_word(bytes + at);
        uint32_t *head = &heads[(uint32_t)word * 2654435761u >> (32 - head_bits)];
        // 0 where there was none yet, else one more than where it was.
        const size_t distance = at + 1 - *head;
        *head = (uint32_t)at + 1;
        if (distance > at || distance > 32768 || (uint32_t)load_word(bytes + at - distance) != (uint32_t)word) {
            at += 1 + misses / 32;
            misses += 1;
            continue;
        }
        const size_t most = count - at < 258 ? count - at : 258;
        size_t length = 4;
        while (length + 8 <= most) {
            const uint64_t change = load_word(bytes + at + length) ^ load_word(bytes + at + length - distance);
            if (change != 0) {
                length += (size_t)__builtin_ctzll(change) / 8;
                break;
            }
            length += 8;
        }
        while (length < most && bytes[at + length] == bytes[at + length - distance]) {
            length += 1;
        }
        tokens[found++] = (Token){(uint32_t)(at - end), (uint16_t)length, (uint16_t)distance};
        at += length;
        end = at;
        misses = 0;
    }
    tokens[found++] = (Token){(uint32_t)(count - end), 0, 0};
    return found;
}

// MARK: Codes

// Counts literals in 64 bytes of each `period` × 64, as if the others were alike. Which 64 changes from one to the
// next, as rows may be as long as some of them.
static void count_literals(const uint8_t *bytes, size_t count, const Token *token, size_t period, Code *code) {
    // Four tables, since a counter cannot be changed before its last change is done.
    uint32_t counts[4][256] = {{0}};
    size_t start = 0;
    for (size_t part = 0;; part += 1) {
        const size_t window = 64 * (part * period + (5 * part + part / 8) % period);
        if (window >= count) {
            break;
        }
        const size_t stop = window + 64 < count ? window + 64 : count;
        while (start < stop) {
            const size_t end = start + token->literals;
            size_t at = start > window ? start : window;
            const size_t last = end < stop ? end : stop;
            for (; at + 4 <= last; at += 4) {
                counts[0][bytes[at]] += 1;
                counts[1][bytes[at + 1]] += 1;
                counts[2][bytes[at + 2]] += 1;
                counts[3][bytes[at + 3]] += 1;
            }
            for (; at < last; at += 1) {
                counts[0][bytes[at]] += 1;
            }
            if (end > stop || token->length == 0) {
                break;
            }
            start = end + token->length;
            token += 1;
        }
    }
    for (size_t byte = 0; byte < 256; byte += 1) {
        const uint32_t sampled = counts[0][byte] + counts[1][byte] + counts[2][byte] + counts[3][byte];
        // What was not seen may still be there.
        code->counts[byte] = sampled > 0 ? sampled * (uint32_t)period : period > 1;
    }
}

static void make_code(const uint8_t *bytes, size_t count, const Token *tokens, size_t token_count, Code *code) {
    memset(code, 0, sizeof *code);
    count_literals(bytes, count, tokens, count < 1 << 15 ? 1 : 8, code);
    code->counts[end_of_block] = 1;
    for (size_t i = 0; i + 1 < token_count; i += 1) {
        code->counts[first_length + length_slot(tokens[i].length).symbol] += 1;
        code->distance_counts[distance_slot(tokens[i].distance).symbol] += 1;
    }
    if (token_count == 1) {
        // Some decoders want a code, although none is needed.
        code->distance_counts[0] = 1;
    }
    cpng_code_lengths(code->counts, most_symbols, longest_code, code->lengths);
    cpng_code_lengths(code->distance_counts, distance_symbols, longest_code, code->distance_lengths);
    cpng_codes(code->lengths, most_symbols, code->codes);
    cpng_codes(code->distance_lengths, distance_symbols, code->distance_codes);
}

// The bits that the tokens of a few bytes take in a block of their own, without its code.
static size_t bits_taken(const uint8_t *bytes, size_t count, const Token *tokens, size_t token_count) {
    Code code;
    make_code(bytes, count, tokens, token_count, &code);
    size_t bits = 0;
    for (unsigned symbol = 0; symbol < most_symbols; symbol += 1) {
        const unsigned length = symbol < first_length ? 0 : symbol - first_length;
        const unsigned extra = length < 8 || length == 28 ? 0 : length / 4 - 1;
        bits += (size_t)code.counts[symbol] * (code.lengths[symbol] + extra);
    }
    for (unsigned symbol = 0; symbol < distance_symbols; symbol += 1) {
        const unsigned extra = symbol < 4 ? 0 : symbol / 2 - 1;
        bits += (size_t)code.distance_counts[symbol] * (code.distance_lengths[symbol] + extra);
    }
    return bits;
}

// MARK: Writing

// The lengths of both codes, in runs, by a code of their own (RFC 1951, 3.2.7).
static void put_code(Writer *writer, const Code *code) {
    size_t symbols = most_symbols, distances = distance_symbols;
    while (symbols > 257 && code->lengths[symbols - 1] == 0) {
        symbols -= 1;
    }
    while (distances > 1 && code->distance_lengths[distances - 1] == 0) {
        distances -= 1;
    }
    uint8_t lengths[most_symbols + distance_symbols];
    memcpy(lengths, code->lengths, symbols);
    memcpy(lengths + symbols, code->distance_lengths, distances);
    const size_t count = symbols + distances;

    // A length, or 16 for 3 to 6 more of the last one, 17 for 3 to 10 zeros, 18 for 11 to 138.
    struct { uint8_t symbol, extra; } runs[most_symbols + distance_symbols];
    size_t run_count = 0;
    uint32_t counts[19] = {0};
    for (size_t at = 0; at < count;) {
        size_t same = 1;
        while (at + same < count && lengths[at + same] == lengths[at]) {
            same += 1;
        }
        const bool is_zero = lengths[at] == 0;
        size_t taken = 1;
        uint8_t symbol = lengths[at], extra = 0;
        if (is_zero && same >= 3) {
            taken = same < 138 ? same : 138;
            symbol = taken < 11 ? 17 : 18;
            extra = (uint8_t)(taken - (taken < 11 ? 3 : 11));
        } else if (!is_zero && same >= 3 && at > 0 && lengths[at - 1] == lengths[at]) {
            taken = same < 6 ? same : 6;
            symbol = 16;
            extra = (uint8_t)(taken - 3);
        }
        runs[run_count].symbol = symbol;
        runs[run_count++].extra = extra;
        counts[symbol] += 1;
        at += taken;
    }

    uint8_t run_lengths[19];
    uint16_t run_codes[19];
    cpng_code_lengths(counts, 19, 7, run_lengths);
    cpng_codes(run_lengths, 19, run_codes);
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    size_t ordered = 19;
    while (ordered > 4 && run_lengths[order[ordered - 1]] == 0) {
        ordered -= 1;
    }
    put(writer, symbols - 257, 5);
    put(writer, distances - 1, 5);
    put(writer, ordered - 4, 4);
    for (size_t i = 0; i < ordered; i += 1) {
        put(writer, run_lengths[order[i]], 3);
    }
    static const uint8_t extra_bits[19] = {[16] = 2, [17] = 3, [18] = 7};
    for (size_t i = 0; i < run_count; i += 1) {
        put(writer, run_codes[runs[i].symbol], run_lengths[runs[i].symbol]);
        put(writer, runs[i].extra, extra_bits[runs[i].symbol]);
    }
}

// Blocks of at most 65535 bytes as they are (RFC 1951, 3.2.4).
static void put_stored(Writer *writer, const uint8_t *bytes, size_t count, bool is_last) {
    do {
        const size_t part = count < 65535 ? count : 65535;
        count -= part;
        put(writer, is_last && count == 0, 3);
        put(writer, 0, (8 - writer->count) & 7);
        put(writer, (uint64_t)part | (uint64_t)(part ^ 65535) << 16, 32);
        memcpy(writer->next, bytes, part);
        writer->next += part;
        bytes += part;
    } while (count > 0);
}

static inline size_t stored_bytes(size_t count) {
    return count + 5 * ((count + 65534) / 65535);
}

// True if the sample in the middle of a block takes less than 0.8 of the bits with matches than with runs.
static bool matches_pay(CPNGDeflater *deflater, const uint8_t *bytes, size_t count, Token *tokens) {
    const size_t sampled = count < sampled_bytes ? count : sampled_bytes;
    bytes += (count - sampled) / 2;
    size_t found = find_runs(bytes, sampled, tokens);
    const size_t runs = bits_taken(bytes, sampled, tokens, found);
    found = find_matches(bytes, sampled, deflater->heads, tokens);
    return bits_taken(bytes, sampled, tokens, found) * 5 < runs * 4;
}

void cpng_deflater_begin(CPNGDeflater *deflater) {
    deflater->waiting = 0;
    deflater->waiting_count = 0;
}

size_t cpng_deflate_block(
    CPNGDeflater *deflater, const CPNGLevel *level, const uint8_t *bytes, size_t count, bool is_last, uint8_t *out) {
    Token *tokens = deflater->tokens;
    size_t token_count = find_runs(bytes, count, tokens);
    if (matches_pay(deflater, bytes, count, tokens + token_count)) {
        token_count = find_matches(bytes, count, deflater->heads, tokens);
    }
    Code code;
    make_code(bytes, count, tokens, token_count, &code);

    Writer writer = {out, deflater->waiting, deflater->waiting_count};
    put(&writer, (uint64_t)is_last | 2 << 1, 3);
    put_code(&writer, &code);
    level->put_tokens(&writer, bytes, tokens, token_count, &code);
    if ((size_t)(writer.next - out) > stored_bytes(count)) {
        writer = (Writer){out, deflater->waiting, deflater->waiting_count};
        put_stored(&writer, bytes, count, is_last);
    }
    deflater->waiting = writer.waiting;
    deflater->waiting_count = writer.count;
    return (size_t)(writer.next - out) + (is_last && writer.count > 0);
}
