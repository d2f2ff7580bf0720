// Pixels in other places, for the instructions that TARGET names; included once for each.

// The compiler makes shuffles of the plain loop, whose stores rise: falling ones take twice as long.
#define REVERSE(name, Pixel)                                                                                           \
    TARGET static void LEVEL(name)(Pixel *restrict made, const Pixel *pixels, size_t count) {                          \
        for (size_t at = 0; at < count; at += 1) {                                                                     \
            made[at] = pixels[count - 1 - at];                                                                         \
        }                                                                                                              \
    }
REVERSE(reverse_1, uint8_t)
REVERSE(reverse_2, uint16_t)
REVERSE(reverse_4, uint32_t)
REVERSE(reverse_8, uint64_t)

#undef REVERSE
