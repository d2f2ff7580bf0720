#pragma once

/// For functions whose constants, or whose instructions, are those of the function that calls them.
#define INLINE static inline __attribute__((always_inline))
