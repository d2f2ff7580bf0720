#include "huffman.h"

#include <stdbool.h>
#include <string.h>

// A symbol that occurs, or an inner node of the tree.
typedef struct {
    uint32_t weight;
    // Of a leaf its symbol, then of every node its parent, then its depth.
    uint32_t link;
} Node;

// Sorts by weight, a byte of it at a time; equal weights keep their order.
static void sort(Node *nodes, size_t count) {
    Node other[most_symbols];
    uint32_t all = 0;
    for (size_t i = 0; i < count; i += 1) {
        all |= nodes[i].weight;
    }
    for (unsigned shift = 0; shift < 32 && all >> shift != 0; shift += 8) {
        uint32_t starts[257] = {0};
        for (size_t i = 0; i < count; i += 1) {
            starts[(nodes[i].weight >> shift & 255) + 1] += 1;
        }
        for (size_t byte = 0; byte < 256; byte += 1) {
            starts[byte + 1] += starts[byte];
        }
        for (size_t i = 0; i < count; i += 1) {
            other[starts[nodes[i].weight >> shift & 255]++] = nodes[i];
        }
        memcpy(nodes, other, count * sizeof(Node));
    }
}

// Moves the leaves beyond `limit` up to it, and others down, until the lengths are those of a code (Kraft's sum is 1).
static void limit_depths(uint32_t *leaves, unsigned deepest, unsigned limit) {
    for (; deepest > limit; deepest -= 1) {
        leaves[limit] += leaves[deepest];
        leaves[deepest] = 0;
    }
    uint32_t sum = 0;
    for (unsigned depth = 1; depth <= limit; depth += 1) {
        sum += leaves[depth] << (limit - depth);
    }
    for (; sum > 1u << limit; sum -= 1) {
        // A leaf from the bottom becomes the sibling of one that is moved down.
        leaves[limit] -= 1;
        unsigned depth = limit - 1;
        while (leaves[depth] == 0) {
            depth -= 1;
        }
        leaves[depth] -= 1;
        leaves[depth + 1] += 2;
    }
}

void cpng_code_lengths(const uint32_t *counts, size_t count, unsigned limit, uint8_t *lengths) {
    Node nodes[2 * most_symbols];
    uint32_t symbols[most_symbols];
    size_t leaf_count = 0;
    memset(lengths, 0, count);
    for (size_t symbol = 0; symbol < count; symbol += 1) {
        if (counts[symbol] > 0) {
            nodes[leaf_count++] = (Node){counts[symbol], (uint32_t)symbol};
        }
    }
    if (leaf_count == 1) {
        lengths[nodes[0].link] = 1;
        return;
    }
    sort(nodes, leaf_count);
    for (size_t leaf = 0; leaf < leaf_count; leaf += 1) {
        symbols[leaf] = nodes[leaf].link;
    }
    // Joins the two lightest nodes until one is left; both the leaves and the nodes made come in order of weight.
    size_t leaf = 0, inner = leaf_count;
    const size_t node_count = 2 * leaf_count - 1;
    for (size_t made = leaf_count; made < node_count; made += 1) {
        uint32_t weight = 0;
        for (int half = 0; half < 2; half += 1) {
            const bool takes_leaf =
                inner == made || (leaf < leaf_count && nodes[leaf].weight <= nodes[inner].weight);
            Node *lightest = &nodes[takes_leaf ? leaf++ : inner++];
            weight += lightest->weight;
            lightest->link = (uint32_t)made;
        }
        nodes[made].weight = weight;
    }
    uint32_t leaves[most_symbols] = {0};
    unsigned deepest = 0;
    nodes[node_count - 1].link = 0;
    for (size_t node = node_count - 1; node-- > 0;) {
        nodes[node].link = nodes[nodes[node].link].link + 1;
        if (node < leaf_count) {
            leaves[nodes[node].link] += 1;
            deepest = nodes[node].link > deepest ? nodes[node].link : deepest;
        }
    }
    limit_depths(leaves, deepest, limit);
    // The heaviest leaves, which come last, get the shortest codes.
    leaf = leaf_count;
    for (unsigned length = 1; length <= limit; length += 1) {
        for (uint32_t i = 0; i < leaves[length]; i += 1) {
            lengths[symbols[--leaf]] = (uint8_t)length;
        }
    }
}

static uint16_t reversed(uint16_t code, unsigned length) {
    uint16_t made = 0;
    for (; length > 0; length -= 1, code >>= 1) {
        made = (uint16_t)(made << 1 | (code & 1));
    }
    return made;
}

void cpng_codes(const uint8_t *lengths, size_t count, uint16_t *codes) {
    uint16_t next[16] = {0};
    uint16_t counts[16] = {0};
    for (size_t symbol = 0; symbol < count; symbol += 1) {
        counts[lengths[symbol]] += 1;
    }
    counts[0] = 0;
    for (unsigned length = 1; length < 16; length += 1) {
        next[length] = (uint16_t)((next[length - 1] + counts[length - 1]) << 1);
    }
    for (size_t symbol = 0; symbol < count; symbol += 1) {
        const unsigned length = lengths[symbol];
        codes[symbol] = length == 0 ? 0 : reversed(next[length]++, length);
    }
}
